/** Hides a column or detail on a phone. */
export const fromSmall = '(min-width: 48em)'
export const fromMedium = '(min-width: 62em)'
export const fromLarge = '(min-width: 75em)'
