import { Alert, Badge, Button, Group, List, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { OperatorAccountDetail } from '../../../../src/console-api/contract.ts'
import { call } from '../../api/client.ts'
import { useFindingText } from '../../codes/use-finding-text.ts'
import { formatDay } from '../../format/times.ts'
import { PanelTabs } from '../../parts/dialogs/panel-tabs.tsx'
import { SidePanel } from '../../parts/dialogs/side-panel.tsx'
import { useConfirm } from '../../parts/dialogs/use-confirm.tsx'
import { ButtonLink } from '../../parts/page/button-link.tsx'
import { PageAnchor } from '../../parts/page/page-anchor.tsx'
import { BudgetList } from '../../parts/values/budget-list.tsx'
import { Money } from '../../parts/values/money.tsx'
import { operatorAccountQuery } from '../operator-queries.ts'
import { DetailLoader } from '../parts/detail-loader.tsx'
import { Facts } from '../parts/facts.tsx'
import { useChange } from '../use-change.ts'
import { AccountForm } from './account-form.tsx'
import { AccountState } from './accounts-table.tsx'
import { CreditPart } from './credit-part.tsx'
import { SuspendAccount } from './suspend-account.tsx'

interface AccountPanelProps {
  readonly account: string | undefined
  readonly isNew: boolean
  readonly onOpen: (id: string) => void
  readonly onClose: () => void
}

export function AccountPanel({ account, isNew, onOpen, onClose }: AccountPanelProps) {
  const { t } = useTranslation()
  const known = useQuery({ ...operatorAccountQuery(account ?? ''), enabled: account !== undefined })
  return (
    <SidePanel
      isOpen={isNew || account !== undefined}
      onClose={onClose}
      title={isNew ? t('people.newAccount') : (known.data?.name ?? account)}
    >
      {isNew ? (
        <AccountForm account={undefined} onSaved={({ id }) => onOpen(id)} onClose={onClose} />
      ) : (
        account !== undefined && (
          <DetailLoader key={account} query={operatorAccountQuery(account)}>
            {(detail) => <Detail account={detail} onClose={onClose} />}
          </DetailLoader>
        )
      )}
    </SidePanel>
  )
}

function Detail({ account, onClose }: { account: OperatorAccountDetail; onClose: () => void }) {
  const { t, i18n } = useTranslation()
  const [part, setPart] = useState<'credits' | 'members' | 'settings'>('credits')
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {account.id}
        </Text>
        <AccountState account={account} />
      </Group>
      {account.isStopped && <Stopped account={account} />}
      <Facts
        facts={[
          [t('people.available'), <Money key="available" nano={account.availableNano} />],
          [t('people.held'), <Money key="held" nano={account.heldNano} />],
          [t('people.spent'), <Money key="spent" nano={account.spentNano} />],
          [t('people.created'), formatDay(account.createdAt, i18n.language)],
          [
            t('people.endsAt'),
            account.endsAt === null ? null : formatDay(account.endsAt, i18n.language),
          ],
        ]}
      />
      <BudgetList budgets={account.budgets} />
      <Group gap="md">
        <PageAnchor to="/keys" search={{ account: account.id }} size="sm">
          {t('people.itsKeys', { count: account.keyCount })}
        </PageAnchor>
        <PageAnchor to="/usage" search={{ account: account.id }} size="sm">
          {t('people.itsUsage')}
        </PageAnchor>
      </Group>
      <PanelTabs
        open={part}
        onOpen={setPart}
        tabs={[
          {
            name: 'credits',
            label: t('people.part.credits'),
            content: <CreditPart account={account} />,
          },
          {
            name: 'members',
            label: t('people.part.members'),
            content: <Members account={account} />,
          },
          {
            name: 'settings',
            label: t('people.part.settings'),
            content: (
              <AccountForm account={account} onSaved={onClose} onClose={onClose}>
                <SuspendAccount account={account} />
              </AccountForm>
            ),
          },
        ]}
      />
    </Stack>
  )
}

/** Explains why the self-audit stopped the account and lets an operator release it. */
function Stopped({ account }: { account: OperatorAccountDetail }) {
  const { t } = useTranslation()
  const findingText = useFindingText()
  const [ask, confirmation] = useConfirm()
  const release = useChange(
    () => call('POST /operate/accounts/{id}/release', { params: { id: account.id } }),
    {
      done: t('people.released'),
      optimistic: (update) => update.change('accounts', account.id, { isStopped: false }),
    },
  )
  return (
    <Alert color="red" title={t('people.stoppedTitle')}>
      <Text size="sm">{t('people.stoppedText')}</Text>
      <List size="sm" my="xs">
        {account.findings.map((finding) => (
          <List.Item key={finding.text}>{findingText(finding)}</List.Item>
        ))}
      </List>
      <Button
        size="xs"
        color="red"
        loading={release.isPending}
        onClick={() =>
          ask({
            title: t('people.releaseTitle', { name: account.name }),
            text: t('people.releaseText'),
            action: t('people.release'),
            onYes: () => release.mutate(),
          })
        }
      >
        {t('people.release')}
      </Button>
      {confirmation}
    </Alert>
  )
}

function Members({ account }: { account: OperatorAccountDetail }) {
  const { t } = useTranslation()
  return (
    <Stack gap="xs">
      {account.members.length === 0 && <Text size="sm">{t('people.noMembers')}</Text>}
      {account.members.map((member) => (
        <Group key={member.userId} justify="space-between" gap="xs">
          <PageAnchor
            to="/operate/accounts"
            search={{ view: 'users', user: member.userId }}
            size="sm"
            maw="100%"
            style={{ overflowWrap: 'anywhere' }}
          >
            {member.email}
          </PageAnchor>
          <BudgetList budgets={member.budgets} />
          <Group gap={4}>
            {member.isSuspended && <Badge color="red">{t('people.status.suspended')}</Badge>}
            {!member.isProven && <Badge color="orange">{t('people.unproven')}</Badge>}
            {member.source === 'open-id' && (
              <Badge color="blue">{t('people.source.open-id')}</Badge>
            )}
            <Badge color="gray">{t(`people.role.${member.role}`)}</Badge>
          </Group>
        </Group>
      ))}
      <ButtonLink
        to="/account"
        search={{ account: account.id }}
        size="xs"
        variant="default"
        style={{ alignSelf: 'flex-start' }}
      >
        {t('people.manageMembers')}
      </ButtonLink>
    </Stack>
  )
}
