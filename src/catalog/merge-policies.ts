import type { ParameterPolicy } from '../core/upstreams/parameter-policy.ts'

/** Combines the policies of an upstream and a route. For a field that both name, the route's policy applies. */
export function mergePolicies(
  general: ParameterPolicy | undefined,
  own: ParameterPolicy | undefined,
): ParameterPolicy | undefined {
  if (!general || !own) return own ?? general
  const kept = new Set(
    [own.rename, own.clamp, own.default].flatMap((each) => Object.keys(each ?? {})),
  )
  const dropped = new Set(own.drop)
  const outputLimit = own.outputLimit ?? general.outputLimit
  return {
    rename: { ...without(general.rename, dropped), ...own.rename },
    drop: [...new Set([...(general.drop ?? []).filter((each) => !kept.has(each)), ...dropped])],
    clamp: { ...without(general.clamp, dropped), ...own.clamp },
    default: { ...without(general.default, dropped), ...own.default },
    ...(outputLimit === undefined ? {} : { outputLimit }),
    headers: { ...general.headers, ...own.headers },
  }
}

function without<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  names: ReadonlySet<string>,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record ?? {}).filter(([name]) => !names.has(name)))
}
