/** Variables of the command line that are not settings: the URL of a remote gateway, and the token for it. */
export const urlVariable = 'TOLLGATE_URL'
export const tokenVariable = 'TOLLGATE_TOKEN'
