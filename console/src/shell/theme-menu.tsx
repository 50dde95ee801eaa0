import { ActionIcon, Menu, useMantineColorScheme } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '../icons/icons.ts'
import { usePreferences } from './use-preferences.ts'

const choices = [
  { scheme: 'light', Icon: IconSun },
  { scheme: 'dark', Icon: IconMoon },
  { scheme: 'auto', Icon: IconDeviceDesktop },
] as const

export function ThemeMenu() {
  const { t } = useTranslation()
  const { colorScheme } = useMantineColorScheme()
  const preferences = usePreferences()
  const Current = choices.find(({ scheme }) => scheme === colorScheme)?.Icon ?? IconSun
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t('theme.label')}>
          <Current size={20} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(({ scheme, Icon }) => (
          <Menu.Item
            key={scheme}
            onClick={() => void preferences.chooseTheme(scheme)}
            leftSection={<Icon size={16} stroke={1.6} />}
            rightSection={scheme === colorScheme && <IconCheck size={14} />}
          >
            {t(`theme.${scheme}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
