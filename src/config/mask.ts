import { keyHint, masked } from '../core/text/secret-hint.ts'
import { keyValueCharactersMin } from '../fields/problems.ts'

/** Shows both ends of a key so that it can be recognised; shows nothing of a shorter text. */
export function maskKey(value: string): string {
  return value.length < keyValueCharactersMin ? masked : keyHint(value)
}

/** A database URL without its password, neither before the host nor among the parameters. */
export function maskUrl(url: string): string {
  return url
    .replace(/^([a-z]+:\/\/[^/?#@:]*):[^/?#]*@/i, `$1:${masked}@`)
    .replace(/([?&][^=&#]*password=)[^&#]*/gi, `$1${masked}`)
}

/** A proxy URL without user and password: either may be the secret. */
export function maskProxy(url: string): string {
  return replaceUser(url, `${masked}@`)
}

/** A URL without user and password. */
export function withoutUser(url: string): string {
  return replaceUser(url, '')
}

function replaceUser(url: string, user: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/?#]*@/i, (_, scheme: string) => scheme + user)
}

/** A text that was meant to be a URL, without anything that may be a user or a password. */
export function maskAnyUser(text: string): string {
  return text.replace(/(:\/\/)\S*@/g, `$1${masked}@`)
}
