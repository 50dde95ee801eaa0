/** Settings whose flag may have no value, and the value that the flag then means. */
const alone: ReadonlyMap<string, string> = new Map([['--demo', 'on']])

/** `--demo` at the end, or before another flag, means `--demo=on`. */
export function spellOutFlags(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const value = alone.get(arg)
    const next = args[index + 1]
    const isAlone = next === undefined || next.startsWith('-')
    return value !== undefined && isAlone ? `${arg}=${value}` : arg
  })
}
