import { useNavigate, useSearch } from '@tanstack/react-router'
import { cleanSearch } from '../routes/clean-search.ts'
import { AlertList } from './alert-list.tsx'

/** Alerts of the accounts that the user owns, or of the selected account. */
export function AlertsPage() {
  const search = useSearch({ from: '/shell/alerts' })
  const navigate = useNavigate({ from: '/alerts' })
  return (
    <AlertList
      account={search.account}
      opened={search.alert}
      onOpen={(alert) => void navigate({ search: (old) => cleanSearch({ ...old, alert }) })}
    />
  )
}

/** All alerts and messages; for administrators. */
export function AllAlertsPage() {
  const search = useSearch({ from: '/shell/operate/alerts' })
  const navigate = useNavigate({ from: '/operate/alerts' })
  return (
    <AlertList
      account={search.account}
      opened={search.alert}
      onOpen={(alert) => void navigate({ search: (old) => cleanSearch({ ...old, alert }) })}
    />
  )
}
