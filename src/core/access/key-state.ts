/** `enabled` keys can be used; `disabled`, `expired` and `stopped` ones cannot. A `stopped` key has lost its owner. */
export const keyStates = ['enabled', 'disabled', 'expired', 'stopped'] as const
