import { Button, Group } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { KeyRow } from '../../../src/console-api/contract.ts'
import { keyDefinition } from '../../../src/keys/definition/key.ts'
import {
  IconChartHistogram,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconTransform,
  IconTrash,
} from '../icons/icons.ts'
import { useConfirm } from '../parts/dialogs/use-confirm.tsx'
import { RenameButton } from '../parts/forms/rename-button.tsx'
import { ButtonLink } from '../parts/page/button-link.tsx'
import type { useKeyActions } from './use-key-actions.tsx'
import type { KeyRights } from './use-key-rights.ts'

interface KeyButtonsProps {
  readonly row: KeyRow
  readonly rights: KeyRights
  readonly actions: ReturnType<typeof useKeyActions>
}

/** The actions that the user may perform on a key. */
export function KeyButtons({ row, rights, actions }: KeyButtonsProps) {
  const { t } = useTranslation()
  const [ask, confirmation] = useConfirm()
  const { name } = row
  const confirmRotate = () =>
    ask({
      title: t('keys.rotateTitle'),
      text: t('keys.rotateText'),
      action: t('keys.rotate'),
      onYes: () => actions.rotate.mutate(),
    })
  const confirmConvert = () =>
    ask({
      title: t('keys.convertTitle', { name }),
      text: t('keys.convertText'),
      action: t('keys.convert'),
      onYes: () => actions.convert.mutate(),
    })
  const confirmDelete = () =>
    ask({
      title: t('keys.deleteTitle', { name }),
      text: t('keys.deleteText'),
      action: t('delete'),
      onYes: () => actions.erase.mutate(),
    })
  return (
    <Group gap="xs" className="key-actions">
      {rights.mayConvert && (
        <Button
          size="xs"
          className="convert-action"
          leftSection={<IconTransform size={15} />}
          loading={actions.convert.isPending}
          onClick={confirmConvert}
        >
          {t('keys.convert')}
        </Button>
      )}
      {rights.mayChange && (
        <Button
          size="xs"
          variant="default"
          leftSection={row.isEnabled ? <IconPlayerPause size={15} /> : <IconPlayerPlay size={15} />}
          onClick={actions.toggle}
        >
          {row.isEnabled ? t('keys.disable') : t('keys.enable')}
        </Button>
      )}
      {rights.mayRename && !rights.mayChange && (
        <RenameButton
          name={name}
          kind={keyDefinition.fields.name.kind}
          label={t('keys.name')}
          onRename={(wanted) => actions.edit.mutateAsync({ name: wanted })}
        />
      )}
      {rights.hasValue && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={15} />}
          loading={actions.rotate.isPending}
          onClick={confirmRotate}
        >
          {t('keys.rotate')}
        </Button>
      )}
      <ButtonLink
        to="/usage"
        search={{ account: row.accountId, key: row.id }}
        size="xs"
        variant="default"
        leftSection={<IconChartHistogram size={15} />}
      >
        {t('nav.usage')}
      </ButtonLink>
      {rights.mayDelete && (
        <Button
          size="xs"
          variant="subtle"
          color="red"
          leftSection={<IconTrash size={15} />}
          loading={actions.erase.isPending}
          onClick={confirmDelete}
        >
          {t('delete')}
        </Button>
      )}
      {confirmation}
    </Group>
  )
}
