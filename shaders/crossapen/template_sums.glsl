// Sums over templates of the match statistics that the entropies need, in the layout of the first two targets:
//   target 0: logarithms of the short matches, lower 22 bits and the rest; the same for the long matches
//   target 1: short matches, those of them within N - m, long matches; and, in 10 bits each, templates without a short
//             match, without a long one, and without a long one but with a short one
// A sum over 512 templates fits: 2^9 terms below 2^22, counts up to 2^19.
uniform usampler2D logarithms;  // of 0, 1, 2 ...: lower 22 bits, the rest
uniform vec2 logarithmsTexel;
uniform int lastTemplate;  // index of the last short template, N - m, which is no long one

uvec4 logarithmSums = uvec4(0u);
uvec4 countSums = uvec4(0u);

// `matchesLast`: 1 if the last partner template is a short match. Templates after the last one are ignored.
void addTemplate(int number, uint shortMatches, uint longMatches, uint matchesLast) {
    uint isShort = uint(number <= lastTemplate);
    uint isLong = uint(number < lastTemplate);
    uint counted = shortMatches * isShort;
    uint countedLong = longMatches * isLong;
    logarithmSums += uvec4(TABLE(logarithms, logarithmsTexel, int(counted)).xy,
                           TABLE(logarithms, logarithmsTexel, int(countedLong)).xy);
    uint noShort = isShort * uint(shortMatches == 0u);
    uint noLong = isLong * uint(longMatches == 0u);
    uint noLongOnly = noLong * uint(shortMatches != 0u);
    countSums += uvec4(counted, (shortMatches - matchesLast) * isLong, countedLong,
                       noShort | (noLong << 10) | (noLongOnly << 20));
}

void storeSums() {
    fragmentOutput[0] = logarithmSums;
    fragmentOutput[1] = countSums;
}
