/* In their own file, so that others can import them without the rest. */

/** The pages of the console. */
export const consoleRoot = '/console'
/** Their private back end. */
export const consoleApiRoot = `${consoleRoot}/api`
export const adminRoot = '/admin/v1'
