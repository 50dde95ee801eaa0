/** What makes ids and the like: derived from the request alone, so that the same request is answered the same. */
export interface Seed {
  readonly hex: string
}

/** 2026-01-01T00:00:00Z; a clock would make two answers to one request differ. */
export const createdSeconds = 1_767_225_600

export async function deriveSeed(path: string, bodyText: string): Promise<Seed> {
  const bytes = new TextEncoder().encode(`${path}\n${bodyText}`)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return { hex: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('') }
}

export function seededId(seed: Seed, prefix: string, ordinal = 0): string {
  return `${prefix}${seed.hex.slice(0, 22)}${ordinal.toString(16).padStart(2, '0')}`
}

/** Stands for the opaque proof that vendors attach to reasoning; it is of plausible length and means nothing. */
export function seededSignature(seed: Seed): string {
  return btoa(`tollgate-demo:${seed.hex}`)
}
