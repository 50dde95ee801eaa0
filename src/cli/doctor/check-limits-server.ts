import type { Config } from '../../config/config.ts'
import { limitChecks } from '../../limits/limit-checks.ts'
import { limitScripts } from '../../limits/limit-scripts.ts'
import { ScriptHost } from '../../store/redis/script-host.ts'
import type { DoctorFinding } from './finding.ts'

const topic = 'rate limits'

/** Whether the server that counts rate limits for all replicas can be reached and runs scripts. */
export async function checkLimitsServer({
  limits,
  limitsFallback,
}: Pick<Config, 'limits' | 'limitsFallback'>): Promise<DoctorFinding[]> {
  if (limits === undefined) return []
  const server = new URL(limits).host
  let problem = ''
  const calls = { scripts: limitScripts, checks: limitChecks }
  const host = new ScriptHost(limits, calls, {
    onDown: (why) => {
      problem = why
    },
    onUp: () => undefined,
  })
  await host.open()
  const { isUp } = host
  host.close()
  if (isUp) return [{ verdict: 'ok', topic, text: `${server} counts for all replicas` }]
  const effect =
    limitsFallback === 'refuse'
      ? 'requests with rate limits are refused'
      : 'each replica limits on its own'
  const text = `${server} cannot be used (${problem}), so ${effect}; check the setting limits and the server`
  return [{ verdict: 'fail', topic, text }]
}
