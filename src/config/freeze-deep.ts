/** Nobody downstream can change what was configured, by accident or otherwise. */
export function freezeDeep<Value extends object>(value: Value): Value {
  for (const member of Object.values(value) as unknown[]) {
    if (typeof member === 'object' && member !== null && !Object.isFrozen(member))
      freezeDeep(member)
  }
  return Object.freeze(value)
}
