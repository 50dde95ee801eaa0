import { useNavigate, useSearch } from '@tanstack/react-router'
import { cleanSearch } from '../routes/clean-search.ts'
import { TokenList } from './token-list.tsx'

/** The tokens of the accounts that the reader owns, or of one of them. */
export function TokensPage() {
  const search = useSearch({ from: '/shell/tokens' })
  const navigate = useNavigate({ from: '/tokens' })
  return (
    <TokenList
      account={search.account}
      opened={search.token}
      onOpen={(token) => void navigate({ search: (old) => cleanSearch({ ...old, token }) })}
    />
  )
}

/** Every token there is, or those of one account; for operators. */
export function AllTokensPage() {
  const search = useSearch({ from: '/shell/operate/tokens' })
  const navigate = useNavigate({ from: '/operate/tokens' })
  return (
    <TokenList
      account={search.account}
      opened={search.token}
      onOpen={(token) => void navigate({ search: (old) => cleanSearch({ ...old, token }) })}
    />
  )
}
