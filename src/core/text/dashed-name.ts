/** A name of several words as an option of the command line: `baseUrl` is `base-url`. */
export function dashedName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
