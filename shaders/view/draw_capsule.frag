// The visible point of a capsule on the line of sight: its colour, lit from the upper left, and its height towards the viewer
// in Å.
//
// @dialects gl33 es300
flat VARYING vec4 from;  // Å, in the picture's axes, and the radius
flat VARYING vec3 to;
flat VARYING vec3 fromColor;
flat VARYING vec3 toColor;
VARYING vec2 place;
uniform vec4 extent;

void main() {
    float radius = from.w;
    float nearest = -1e9;
    vec3 normal = vec3(0.0);
    float share = 0.0;
    // The balls at both ends.
    vec2 side = place - from.xy;
    float inside = radius * radius - dot(side, side);
    if (inside >= 0.0) {
        normal = vec3(side, sqrt(inside));
        nearest = from.z + normal.z;
    }
    side = place - to.xy;
    inside = radius * radius - dot(side, side);
    if (inside >= 0.0 && to.z + sqrt(inside) > nearest) {
        normal = vec3(side, sqrt(inside));
        nearest = to.z + normal.z;
        share = 1.0;
    }
    // The cylinder: |w|² - (w · axis)² = radius², where w = (side, s) is the vector from its one end to the line of sight.
    vec3 axis = to - from.xyz;
    float extentAlong = length(axis);
    if (extentAlong > 1e-4) {
        axis /= extentAlong;
        side = place - from.xy;
        float square = 1.0 - axis.z * axis.z;
        float along = dot(side, axis.xy);
        float discriminant = axis.z * axis.z * along * along - square * (dot(side, side) - along * along - radius * radius);
        if (square > 1e-6 && discriminant >= 0.0) {
            float s = (axis.z * along + sqrt(discriminant)) / square;
            float reached = along + s * axis.z;
            if (reached >= 0.0 && reached <= extentAlong && from.z + s > nearest) {
                nearest = from.z + s;
                normal = vec3(side, s) - reached * axis;
                share = reached / extentAlong;
            }
        }
    }
    if (nearest < -1e8) discard;
    normal /= radius;
    vec3 color = share < 0.5 ? fromColor : toColor;
    vec3 light = normalize(vec3(-0.4, 0.5, 0.85));
    float diffuse = max(dot(normal, light), 0.0);
    float shine = pow(max(dot(normal, normalize(light + vec3(0.0, 0.0, 1.0))), 0.0), 50.0);
    color = color * (0.38 + 0.1 * normal.z + 0.57 * diffuse) + vec3(0.16 * shine);
    fragmentOutput[0] = vec4(color, nearest);
    gl_FragDepth = clamp(0.5 - 0.5 * nearest / extent.z, 0.0, 1.0);
}
