import { lazyRouteComponent } from '@tanstack/react-router'
import { call } from '../api/client.ts'

/**
 * A page whose code is fetched when it is opened. The router loads the whole console anew when the code is not there,
 * as after an upgrade; without a gateway that would end on the browser's own error page, so the gateway is asked first.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => load().catch(tellUnreachable), name)

async function tellUnreachable(error: unknown): Promise<never> {
  await call('GET /session', {})
  throw error
}
