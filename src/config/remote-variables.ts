/** Variables of the command line that are no settings: where a gateway elsewhere is, and the token for it. */
export const urlVariable = 'TOLLGATE_URL'
export const tokenVariable = 'TOLLGATE_TOKEN'
