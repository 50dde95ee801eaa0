import { keyHint, masked } from '../core/secret-hint.ts'
import { keyValueCharactersMin } from '../fields/problems.ts'

/** A key may be recognised by its ends; anything shorter than a key shows nothing. */
export function maskKey(value: string): string {
  return value.length < keyValueCharactersMin ? masked : keyHint(value)
}

/** A database address without the password in it, neither before the host nor among its parameters. */
export function maskUrl(url: string): string {
  return url
    .replace(/^([a-z]+:\/\/[^/?#@:]*):[^/?#]*@/i, `$1:${masked}@`)
    .replace(/([?&][^=&#]*password=)[^&#]*/gi, `$1${masked}`)
}

/** The address of a proxy without user and password: either may be the secret. */
export function maskProxy(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, `$1${masked}@`)
}
