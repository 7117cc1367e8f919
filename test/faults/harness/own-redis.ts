import { type OwnServer, openOwnServer } from './own-server.ts';

export type OwnRedis = OwnServer;

export const openOwnRedis = (): Promise<OwnRedis> => openOwnServer('credits');
