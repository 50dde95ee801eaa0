import type { Shape } from '../shape.ts'

export type PostgresQuestion =
  | { readonly kind: 'open'; readonly url: string }
  | { readonly kind: 'shapes'; readonly shapes: readonly Shape[] }
  | { readonly kind: 'records'; readonly text: string }
  | { readonly kind: 'close' }
