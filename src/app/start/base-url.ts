/** A URL to paste: a gateway that listens on all interfaces is reachable as localhost. */
export function baseUrlOf(place: { readonly hostname: string; readonly port: number }): string {
  return `http://${reachableHost(place.hostname)}:${place.port}`
}

function reachableHost(name: string): string {
  if (name === '0.0.0.0' || name === '::' || name === '') return 'localhost'
  return name.includes(':') ? `[${name}]` : name
}
