/** The most answers that a request can ask for. */
export const answersMax = 8
