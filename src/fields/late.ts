/**
 * All members of `of`, with the members of `late` added or replaced. A late member is created once, on first use: a
 * schema takes time and memory, and a gateway needs few of them. A member of `of` that is already late stays late; an
 * object spread would evaluate it.
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
