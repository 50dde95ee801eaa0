const name = 'tollgate-place'
const root = '/console/'
const signIn = '/console/sign-in'

/** Remembers the page, to come back to it after the sign-in, here or at the identity provider. */
export function rememberPage(): void {
  const { pathname, search } = window.location
  if (pathname !== signIn) sessionStorage.setItem(name, pathname + search)
}

/** The page that was remembered, once. */
export function takeReturnPage(): string | undefined {
  const place = sessionStorage.getItem(name)
  forgetPage()
  return place?.startsWith(root) === true && place !== root ? place : undefined
}

export function forgetPage(): void {
  sessionStorage.removeItem(name)
}
