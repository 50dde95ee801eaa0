/** A column or detail that a phone has no room for. */
export const fromSmall = '(min-width: 48em)'
export const fromMedium = '(min-width: 62em)'
export const fromLarge = '(min-width: 75em)'
