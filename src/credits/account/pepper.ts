import type { Db } from 'mongodb';
import { type Config, generatedSecret } from '../../config.ts';
import { settingOnce } from '../../store/filing/settings.ts';

/** The secret that key digests are made under: the setting, else one made once for the installation. */
export async function pepperOf(config: Pick<Config, 'keyPepper'>, db: Db): Promise<string> {
  return config.keyPepper ?? settingOnce(db, 'key_pepper', generatedSecret);
}
