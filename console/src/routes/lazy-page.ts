import { lazyRouteComponent } from '@tanstack/react-router'
import { call } from '../api/client.ts'

/**
 * A page whose code is loaded on demand. After an upgrade the code is gone and the router reloads the console. Without
 * a gateway that reload would end on the browser's error page, so the gateway is called first.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => load().catch(failIfUnreachable), name)

async function failIfUnreachable(error: unknown): Promise<never> {
  await call('GET /session', {})
  throw error
}
