/** An address to paste: a gateway on all interfaces is reached on this machine as localhost. */
export function baseUrlOf(place: { readonly hostname: string; readonly port: number }): string {
  return `http://${reachableHost(place.hostname)}:${place.port}`
}

function reachableHost(name: string): string {
  if (name === '0.0.0.0' || name === '::' || name === '') return 'localhost'
  return name.includes(':') ? `[${name}]` : name
}
