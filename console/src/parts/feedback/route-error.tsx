import { Container } from '@mantine/core'
import { call } from '../../api/client.ts'
import { PageError } from './page-error.tsx'

/** A page that failed to load. It reloads only when the gateway responds again. */
export function RouteError({ error }: { error: unknown }) {
  const retry = async () => {
    await call('GET /session', {})
    window.location.reload()
  }
  return (
    <Container size="sm">
      <PageError error={error} reset={() => void retry().catch(() => undefined)} />
    </Container>
  )
}
