/** Google's clients for Python and Go fail on a comment; an empty event is passed over by all of them. */
export const keepAlive = '\n\n'
