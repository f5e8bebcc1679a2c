#pragma once

// The one place that names the loader. GLEW declares every entry point that the engine calls.
#include <GL/glew.h>
