import type { Shape } from '../units/shape.ts'
import type { SqlValue } from '../units/sql-statement.ts'

export type SqliteCommand =
  | { readonly kind: 'open'; readonly path: string; readonly readonly: boolean }
  | { readonly kind: 'query'; readonly sql: string; readonly values: readonly SqlValue[] }
  | { readonly kind: 'units'; readonly newTexts: readonly string[]; readonly units: string }
  | { readonly kind: 'shapes'; readonly shapes: readonly Shape[] }
  | { readonly kind: 'records'; readonly text: string }
  | { readonly kind: 'walk'; readonly sql: string }
  | { readonly kind: 'step'; readonly rowsMax: number }
  | { readonly kind: 'close' }
