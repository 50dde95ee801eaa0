/** Root path of the admin API. In its own file, so that others can import it without the rest. */
export const adminRoot = '/admin/v1'

export function isAdminPath(path: string): boolean {
  return path === adminRoot || path.startsWith(`${adminRoot}/`)
}
