/** Google's Python and Go clients fail on a comment. All of its clients ignore an empty event. */
export const keepAlive = '\n\n'
