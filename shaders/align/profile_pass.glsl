// A pass over a part of two profiles' matrix, three texels one above the other:
// line 0: the corner where it begins, row and column of the profiles; its rows and columns
// line 1: where the costs of both profiles begin, and their columns
// line 2: the row of the scores that is column 1 of the first profile; whether it goes backwards; whether a gap over rows at the
//         corner is a new one
uniform isampler2D passes;

ivec4 passNumbers(int pass, int line) {
    return texelFetch(passes, ivec2(pass, line), 0);
}
