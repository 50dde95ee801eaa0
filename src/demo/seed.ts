/**
 * The source of ids and similar values. It depends only on the request, so that the same request gets the same answer.
 */
export interface Seed {
  readonly hex: string
}

/** 2026-01-01T00:00:00Z; with a clock, two answers to the same request would differ. */
export const createdSeconds = 1_767_225_600

export async function deriveSeed(path: string, bodyText: string): Promise<Seed> {
  const bytes = new TextEncoder().encode(`${path}\n${bodyText}`)
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return { hex: Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('') }
}

export function seededId(seed: Seed, prefix: string, ordinal = 0): string {
  return `${prefix}${seed.hex.slice(0, 22)}${ordinal.toString(16).padStart(2, '0')}`
}

/**
 * A placeholder for the opaque signature that vendors attach to reasoning. It has a plausible length and no meaning.
 */
export function seededSignature(seed: Seed): string {
  return btoa(`tollgate-demo:${seed.hex}`)
}
