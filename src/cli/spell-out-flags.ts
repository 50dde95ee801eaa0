/** Settings whose flag may stand alone, and what it then says. */
const alone: ReadonlyMap<string, string> = new Map([['--demo', 'on']])

/** `--demo` at the end, or in front of another flag, is short for `--demo=on`. */
export function spellOutFlags(args: readonly string[]): string[] {
  return args.map((arg, index) => {
    const value = alone.get(arg)
    const next = args[index + 1]
    const isAlone = next === undefined || next.startsWith('-')
    return value !== undefined && isAlone ? `${arg}=${value}` : arg
  })
}
