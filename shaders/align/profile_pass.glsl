// A pass over a part of two profiles' matrix, two texels one above the other:
// line 0: the costs of the corner where it begins, of the first and of the second profile; its rows and columns
// line 1: the corner's score, row and column of the scores; whether it goes backwards; whether a gap over rows at the corner is a new
//         one
uniform isampler2D passes;

ivec4 passNumbers(int pass, int line) {
    return texelFetch(passes, ivec2(pass, line), 0);
}
