from ._functions import *
from ._readers import *
from ._results import *
from ._transformers import *

__version__: str
__all__: list[str]
