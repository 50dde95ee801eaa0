import type { Shape } from '../units/shape.ts'
import type { PoolLimits, PostgresServer } from './connect.ts'

export type PostgresCommand =
  | { readonly kind: 'open'; readonly server: PostgresServer; readonly limits: PoolLimits }
  | { readonly kind: 'use'; readonly server: PostgresServer }
  | { readonly kind: 'shapes'; readonly shapes: readonly Shape[] }
  | { readonly kind: 'records'; readonly text: string }
  | { readonly kind: 'give-up' }
  | { readonly kind: 'renew' }
  | { readonly kind: 'close' }
