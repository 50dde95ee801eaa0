/* In their own file, so that others can import them without the rest. */

/** The pages of the console. */
export const consoleRoot = '/console'
/** Their private back end. */
export const consoleApiRoot = `${consoleRoot}/api`
export const adminRoot = '/admin/v1'

export function isAdminPath(path: string): boolean {
  return isBelow(adminRoot, path)
}

export function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(`${root}/`)
}
