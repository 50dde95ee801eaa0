import { listKeyRows } from './answers/list-key-rows.ts'
import { listUsageRows } from './answers/list-usage-rows.ts'
import { readOverview } from './answers/read-overview.ts'
import { readSession } from './answers/read-session.ts'
import { readUsageStory } from './answers/read-usage-story.ts'
import { setPassword } from './answers/set-password.ts'
import { signIn } from './answers/sign-in.ts'
import { signInByLink } from './answers/sign-in-by-link.ts'
import { signOut } from './answers/sign-out.ts'
import type { Route } from './route.ts'

/** Every route of the back end, with who may call it and whose things it may touch. The dispatcher enforces both. */
export const routes: readonly Route[] = [
  { method: 'GET', path: '/session', who: 'anonymous', owns: 'self', answer: readSession },
  { method: 'POST', path: '/sign-in', who: 'anonymous', owns: 'self', answer: signIn },
  { method: 'POST', path: '/sign-in-link', who: 'anonymous', owns: 'self', answer: signInByLink },
  { method: 'POST', path: '/sign-out', who: 'member', owns: 'self', answer: signOut },
  { method: 'POST', path: '/password', who: 'member', owns: 'self', answer: setPassword },
  { method: 'GET', path: '/overview', who: 'member', owns: 'account', answer: readOverview },
  { method: 'GET', path: '/keys', who: 'member', owns: 'account', answer: listKeyRows },
  { method: 'GET', path: '/usage', who: 'member', owns: 'account', answer: listUsageRows },
  { method: 'GET', path: '/usage/{id}', who: 'member', owns: 'request', answer: readUsageStory },
]
