const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const
const systems = ['Windows', 'Android', 'iPhone', 'iPad', 'Mac OS', 'Linux'] as const

/** A short, recognisable form of the user agent: `Firefox, Linux`. */
export function agentName(agent: string): string {
  const browser = browsers.find(([mark]) => agent.includes(mark))?.[1]
  const system = systems.find((name) => agent.includes(name))
  const known = [browser, system].filter((part) => part !== undefined)
  return known.length > 0 ? known.join(', ') : agent.slice(0, 60)
}
