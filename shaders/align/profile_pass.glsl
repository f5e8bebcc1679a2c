// A pass over a part of two profiles' matrix, two texels:
// line 0: the costs of the corner where it begins, of the first and of the second profile; its rows and columns
// line 1: row and column of the corner's score; whether it goes backwards; whether a gap over rows at the corner pays for its
// opening
uniform isampler2D passes;

ivec4 passNumbers(int pass, int line) {
    return texelFetch(passes, ivec2(pass, line), 0);
}
