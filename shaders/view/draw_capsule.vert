// Covers a capsule (a ball if both ends coincide) with the rectangle around it, in orthographic projection.
//
// @dialects gl33 es300
ATTRIBUTE vec2 position;     // corners of the unit square
ATTRIBUTE vec4 coordinate0;  // one end in Å, and the radius
ATTRIBUTE vec4 coordinate1;  // the other end
ATTRIBUTE vec4 coordinate2;  // colour of the first half
ATTRIBUTE vec4 coordinate3;  // colour of the second half
uniform mat4 placing;        // Å, from the scene to the picture: x to the right, y upwards, z towards the viewer
uniform vec4 extent;         // half of the picture's width and height in Å, and of the depth; the fourth is not used
flat VARYING vec4 from;      // with the radius
flat VARYING vec3 to;
flat VARYING vec3 fromColor;
flat VARYING vec3 toColor;
VARYING vec2 place;

void main() {
    from = vec4((placing * vec4(coordinate0.xyz, 1.0)).xyz, coordinate0.w);
    to = (placing * vec4(coordinate1.xyz, 1.0)).xyz;
    fromColor = coordinate2.rgb;
    toColor = coordinate3.rgb;
    vec2 along = to.xy - from.xy;
    float extentAlong = length(along);
    along = extentAlong > 1e-4 ? along / extentAlong : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    place = mix(from.xy - from.w * along, to.xy + from.w * along, position.x) + from.w * (2.0 * position.y - 1.0) * across;
    gl_Position = vec4(place / extent.xy, 0.0, 1.0);
}
