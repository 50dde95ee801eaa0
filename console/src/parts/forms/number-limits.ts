import type { Kind } from '../../../../src/fields/kind.ts'

/** The limits of a number input by the kind of its field. `unit` is the input's unit in units of the field. */
export function numberLimits(
  { bounds }: Pick<Kind<number | null>, 'bounds'>,
  unit = 1,
): { readonly min?: number; readonly max?: number } {
  return bounds === undefined ? {} : { min: bounds.min / unit, max: bounds.max / unit }
}
