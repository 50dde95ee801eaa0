/** Protects the configuration from any later change. */
export function freezeDeep<Value extends object>(value: Value): Value {
  for (const member of Object.values(value) as unknown[]) {
    if (typeof member === 'object' && member !== null && !Object.isFrozen(member))
      freezeDeep(member)
  }
  return Object.freeze(value)
}
