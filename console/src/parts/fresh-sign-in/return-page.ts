const name = 'tollgate-place'
const root = '/console/'

/** Remembers the page, to come back to it from the identity provider. */
export function rememberPage(): void {
  const { pathname, search } = window.location
  sessionStorage.setItem(name, pathname + search)
}

/** The page that was remembered, once. */
export function takeReturnPage(): string | undefined {
  const place = sessionStorage.getItem(name)
  sessionStorage.removeItem(name)
  return place?.startsWith(root) === true && place !== root ? place : undefined
}
