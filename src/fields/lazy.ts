/**
 * All members of `of`, with the members of `lazy` added or replaced. A lazy member is created once, on first use: a
 * schema takes time and memory, and a gateway needs few of them. A member of `of` that is already lazy stays lazy; an
 * object spread would evaluate it.
 */
export function withLazy<Of extends object, Lazy extends object>(
  of: Of,
  lazy: { readonly [Name in keyof Lazy]: () => Lazy[Name] },
): Omit<Of, keyof Lazy> & Lazy {
  const whole = Object.defineProperties({}, Object.getOwnPropertyDescriptors(of))
  for (const [name, make] of Object.entries<() => unknown>(lazy)) {
    let made: { readonly value: unknown } | undefined
    const get = (): unknown => {
      made ??= { value: make() }
      return made.value
    }
    Object.defineProperty(whole, name, { get, enumerable: true, configurable: true })
  }
  return whole as Omit<Of, keyof Lazy> & Lazy
}
