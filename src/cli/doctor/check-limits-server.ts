import type { Config } from '../../config/config.ts'
import { ScriptHost } from '../../store/redis/script-host.ts'
import type { DoctorFinding } from './finding.ts'

const topic = 'rate limits'
const timeScript = { text: "return redis.call('TIME')" }

/** Whether the server that counts rate limits for all replicas can be reached and runs scripts. */
export async function checkLimitsServer({
  limits,
  limitsFallback,
}: Pick<Config, 'limits' | 'limitsFallback'>): Promise<DoctorFinding[]> {
  if (limits === undefined) return []
  const server = new URL(limits).host
  let problem = ''
  const host = new ScriptHost(limits, [timeScript], {
    onDown: (why) => {
      problem = why
    },
    onUp: () => undefined,
  })
  try {
    await host.open()
    await host.run(timeScript, [], [])
    return [{ verdict: 'ok', topic, text: `${server} counts for all replicas` }]
  } catch (error) {
    const why = problem === '' ? String(error) : problem
    const effect =
      limitsFallback === 'refuse'
        ? 'requests with rate limits are refused'
        : 'each replica limits on its own'
    const text = `${server} cannot be used (${why}), so ${effect}; check the setting limits and the server`
    return [{ verdict: 'fail', topic, text }]
  } finally {
    host.close()
  }
}
