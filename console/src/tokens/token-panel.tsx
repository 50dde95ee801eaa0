import { Alert, Button, Group, Stack } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { TokenRow } from '../../../src/console-api/contract.ts'
import { call } from '../api/client.ts'
import { tokensKey } from '../api/queries.ts'
import { formatMoment } from '../format/times.ts'
import { IconAlertTriangle, IconBan } from '../icons/icons.ts'
import { Facts } from '../operator/parts/facts.tsx'
import { useConfirm } from '../parts/dialogs/use-confirm.tsx'
import { notifyFailure, notifySuccess } from '../parts/feedback/notify.ts'
import { useErrorText } from '../parts/feedback/use-error-text.ts'
import { ScopeBadges } from './scope-badges.tsx'
import { TokenStateBadge } from './token-state-badge.tsx'
import { useCreatorText } from './use-creator-text.ts'

interface TokenPanelProps {
  readonly row: TokenRow
  readonly accountName: (id: string) => string
  readonly onClose: () => void
}

/** Details of one token, with a button to revoke it. */
export function TokenPanel({ row, accountName, onClose }: TokenPanelProps) {
  const { t, i18n } = useTranslation()
  const creatorText = useCreatorText()
  const [ask, confirmation] = useConfirm()
  const revoke = useRevoke(row, onClose)
  const moment = (at: number | null, none: string) =>
    at === null ? none : formatMoment(at, i18n.language)
  const used = [
    moment(row.usedAt, t('tokens.neverUsed')),
    ...(row.usedAddress === null ? [] : [t('tokens.usedFrom', { address: row.usedAddress })]),
  ]
  return (
    <Stack gap="lg">
      <Group justify="space-between" gap="sm">
        <TokenStateBadge state={row.state} />
        {row.state !== 'revoked' && (
          <Button
            size="xs"
            variant="light"
            color="red"
            leftSection={<IconBan size={15} />}
            loading={revoke.isPending}
            onClick={() =>
              ask({
                title: t('tokens.revokeTitle', { name: row.name }),
                text: t('tokens.revokeText'),
                action: t('tokens.revoke'),
                onYes: () => revoke.mutate(),
              })
            }
          >
            {t('tokens.revoke')}
          </Button>
        )}
      </Group>
      {row.state === 'orphaned' && (
        <Alert color="orange" icon={<IconAlertTriangle size={18} />}>
          {t('tokens.orphanedText')}
        </Alert>
      )}
      <Facts
        facts={[
          [
            t('tokens.hint'),
            <span key="hint" className="monospace">
              {row.hint}
            </span>,
          ],
          [t('tokens.scopes'), <ScopeBadges key="scopes" scopes={row.scopes} />],
          [
            t('tokens.account'),
            row.accountId === null ? t('tokens.wholeGateway') : accountName(row.accountId),
          ],
          [t('tokens.addresses'), row.addresses?.join(', ') ?? t('tokens.anyAddress')],
          [t('tokens.expires'), moment(row.expiresAt, t('tokens.never'))],
          [t('tokens.lastUsed'), used.join(' ')],
          [t('tokens.maker'), creatorText(row)],
          [t('tokens.created'), moment(row.createdAt, '')],
          [t('tokens.revokedAt'), row.revokedAt === null ? null : moment(row.revokedAt, '')],
        ]}
      />
      {confirmation}
    </Stack>
  )
}

function useRevoke({ id, name }: TokenRow, onDone: () => void) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => call('DELETE /tokens/{id}', { params: { id } }),
    onSuccess: ({ revoked }) => {
      notifySuccess(t('tokens.revoked', { name, count: Math.max(1, revoked.length) }))
      onDone()
    },
    onError: (error) => notifyFailure(errorText(error)),
    onSettled: () => queries.invalidateQueries({ queryKey: tokensKey }),
  })
}
