/**
 * All members of `of`, and those of `late` in the place of the same names. These are made when they are first asked for,
 * once: a schema takes time and memory, and a gateway needs few of those that there are. A member of `of` that is late
 * stays so, which it would not if it was spread.
 */
export function withLate<Of extends object, Late extends object>(
  of: Of,
  late: { readonly [Name in keyof Late]: () => Late[Name] },
): Omit<Of, keyof Late> & Late {
  const whole = Object.defineProperties({}, Object.getOwnPropertyDescriptors(of))
  for (const [name, make] of Object.entries<() => unknown>(late)) {
    let made: { readonly value: unknown } | undefined
    const get = (): unknown => {
      made ??= { value: make() }
      return made.value
    }
    Object.defineProperty(whole, name, { get, enumerable: true, configurable: true })
  }
  return whole as Omit<Of, keyof Late> & Late
}
