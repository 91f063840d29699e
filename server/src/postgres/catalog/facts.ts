/**
 * The relations of PostgreSQL 15 that tell of itself, each with its columns in order. A number behind a relation is its
 * oid, and says that it is a table. A column without a type is a `name`; `!` says that it is never null. They are facts
 * of a real server's: `server/test/cluster/catalog.test.ts` compares them with it.
 */
export const pgCatalog = `
pg_aggregate 2600 aggfnoid:regproc! aggkind:char! aggnumdirectargs:int2! aggtransfn:regproc! aggfinalfn:regproc! aggcombinefn:regproc! aggserialfn:regproc! aggdeserialfn:regproc! aggmtransfn:regproc! aggminvtransfn:regproc! aggmfinalfn:regproc! aggfinalextra:bool! aggmfinalextra:bool! aggfinalmodify:char! aggmfinalmodify:char! aggsortop:oid! aggtranstype:oid! aggtransspace:int4! aggmtranstype:oid! aggmtransspace:int4! agginitval:text aggminitval:text
pg_am 2601 oid:oid! amname! amhandler:regproc! amtype:char!
pg_amop 2602 oid:oid! amopfamily:oid! amoplefttype:oid! amoprighttype:oid! amopstrategy:int2! amoppurpose:char! amopopr:oid! amopmethod:oid! amopsortfamily:oid!
pg_amproc 2603 oid:oid! amprocfamily:oid! amproclefttype:oid! amprocrighttype:oid! amprocnum:int2! amproc:regproc!
pg_attrdef 2604 oid:oid! adrelid:oid! adnum:int2! adbin:pg_node_tree!
pg_attribute 1249 attrelid:oid! attname! atttypid:oid! attstattarget:int4! attlen:int2! attnum:int2! attndims:int4! attcacheoff:int4! atttypmod:int4! attbyval:bool! attalign:char! attstorage:char! attcompression:char! attnotnull:bool! atthasdef:bool! atthasmissing:bool! attidentity:char! attgenerated:char! attisdropped:bool! attislocal:bool! attinhcount:int4! attcollation:oid! attacl:_aclitem attoptions:_text attfdwoptions:_text attmissingval:anyarray
pg_auth_members 1261 roleid:oid! member:oid! grantor:oid! admin_option:bool!
pg_authid 1260 oid:oid! rolname! rolsuper:bool! rolinherit:bool! rolcreaterole:bool! rolcreatedb:bool! rolcanlogin:bool! rolreplication:bool! rolbypassrls:bool! rolconnlimit:int4! rolpassword:text rolvaliduntil:timestamptz
pg_available_extension_versions name version:text installed:bool superuser:bool trusted:bool relocatable:bool schema requires:_name comment:text
pg_available_extensions name default_version:text installed_version:text comment:text
pg_backend_memory_contexts name:text ident:text parent:text level:int4 total_bytes:int8 total_nblocks:int8 free_bytes:int8 free_chunks:int8 used_bytes:int8
pg_cast 2605 oid:oid! castsource:oid! casttarget:oid! castfunc:oid! castcontext:char! castmethod:char!
pg_class 1259 oid:oid! relname! relnamespace:oid! reltype:oid! reloftype:oid! relowner:oid! relam:oid! relfilenode:oid! reltablespace:oid! relpages:int4! reltuples:float4! relallvisible:int4! reltoastrelid:oid! relhasindex:bool! relisshared:bool! relpersistence:char! relkind:char! relnatts:int2! relchecks:int2! relhasrules:bool! relhastriggers:bool! relhassubclass:bool! relrowsecurity:bool! relforcerowsecurity:bool! relispopulated:bool! relreplident:char! relispartition:bool! relrewrite:oid! relfrozenxid:xid! relminmxid:xid! relacl:_aclitem reloptions:_text relpartbound:pg_node_tree
pg_collation 3456 oid:oid! collname! collnamespace:oid! collowner:oid! collprovider:char! collisdeterministic:bool! collencoding:int4! collcollate:text collctype:text colliculocale:text collversion:text
pg_config name:text setting:text
pg_constraint 2606 oid:oid! conname! connamespace:oid! contype:char! condeferrable:bool! condeferred:bool! convalidated:bool! conrelid:oid! contypid:oid! conindid:oid! conparentid:oid! confrelid:oid! confupdtype:char! confdeltype:char! confmatchtype:char! conislocal:bool! coninhcount:int4! connoinherit:bool! conkey:_int2 confkey:_int2 conpfeqop:_oid conppeqop:_oid conffeqop:_oid confdelsetcols:_int2 conexclop:_oid conbin:pg_node_tree
pg_conversion 2607 oid:oid! conname! connamespace:oid! conowner:oid! conforencoding:int4! contoencoding:int4! conproc:regproc! condefault:bool!
pg_cursors name:text statement:text is_holdable:bool is_binary:bool is_scrollable:bool creation_time:timestamptz
pg_database 1262 oid:oid! datname! datdba:oid! encoding:int4! datlocprovider:char! datistemplate:bool! datallowconn:bool! datconnlimit:int4! datfrozenxid:xid! datminmxid:xid! dattablespace:oid! datcollate:text! datctype:text! daticulocale:text datcollversion:text datacl:_aclitem
pg_db_role_setting 2964 setdatabase:oid! setrole:oid! setconfig:_text
pg_default_acl 826 oid:oid! defaclrole:oid! defaclnamespace:oid! defaclobjtype:char! defaclacl:_aclitem!
pg_depend 2608 classid:oid! objid:oid! objsubid:int4! refclassid:oid! refobjid:oid! refobjsubid:int4! deptype:char!
pg_description 2609 objoid:oid! classoid:oid! objsubid:int4! description:text!
pg_enum 3501 oid:oid! enumtypid:oid! enumsortorder:float4! enumlabel!
pg_event_trigger 3466 oid:oid! evtname! evtevent! evtowner:oid! evtfoid:oid! evtenabled:char! evttags:_text
pg_extension 3079 oid:oid! extname! extowner:oid! extnamespace:oid! extrelocatable:bool! extversion:text! extconfig:_oid extcondition:_text
pg_file_settings sourcefile:text sourceline:int4 seqno:int4 name:text setting:text applied:bool error:text
pg_foreign_data_wrapper 2328 oid:oid! fdwname! fdwowner:oid! fdwhandler:oid! fdwvalidator:oid! fdwacl:_aclitem fdwoptions:_text
pg_foreign_server 1417 oid:oid! srvname! srvowner:oid! srvfdw:oid! srvtype:text srvversion:text srvacl:_aclitem srvoptions:_text
pg_foreign_table 3118 ftrelid:oid! ftserver:oid! ftoptions:_text
pg_group groname grosysid:oid grolist:_oid
pg_hba_file_rules line_number:int4 type:text database:_text user_name:_text address:text netmask:text auth_method:text options:_text error:text
pg_ident_file_mappings line_number:int4 map_name:text sys_name:text pg_username:text error:text
pg_index 2610 indexrelid:oid! indrelid:oid! indnatts:int2! indnkeyatts:int2! indisunique:bool! indnullsnotdistinct:bool! indisprimary:bool! indisexclusion:bool! indimmediate:bool! indisclustered:bool! indisvalid:bool! indcheckxmin:bool! indisready:bool! indislive:bool! indisreplident:bool! indkey:int2vector! indcollation:oidvector! indclass:oidvector! indoption:int2vector! indexprs:pg_node_tree indpred:pg_node_tree
pg_indexes schemaname tablename indexname tablespace indexdef:text
pg_inherits 2611 inhrelid:oid! inhparent:oid! inhseqno:int4! inhdetachpending:bool!
pg_init_privs 3394 objoid:oid! classoid:oid! objsubid:int4! privtype:char! initprivs:_aclitem!
pg_language 2612 oid:oid! lanname! lanowner:oid! lanispl:bool! lanpltrusted:bool! lanplcallfoid:oid! laninline:oid! lanvalidator:oid! lanacl:_aclitem
pg_largeobject 2613 loid:oid! pageno:int4! data:bytea!
pg_largeobject_metadata 2995 oid:oid! lomowner:oid! lomacl:_aclitem
pg_locks locktype:text database:oid relation:oid page:int4 tuple:int2 virtualxid:text transactionid:xid classid:oid objid:oid objsubid:int2 virtualtransaction:text pid:int4 mode:text granted:bool fastpath:bool waitstart:timestamptz
pg_matviews schemaname matviewname matviewowner tablespace hasindexes:bool ispopulated:bool definition:text
pg_namespace 2615 oid:oid! nspname! nspowner:oid! nspacl:_aclitem
pg_opclass 2616 oid:oid! opcmethod:oid! opcname! opcnamespace:oid! opcowner:oid! opcfamily:oid! opcintype:oid! opcdefault:bool! opckeytype:oid!
pg_operator 2617 oid:oid! oprname! oprnamespace:oid! oprowner:oid! oprkind:char! oprcanmerge:bool! oprcanhash:bool! oprleft:oid! oprright:oid! oprresult:oid! oprcom:oid! oprnegate:oid! oprcode:regproc! oprrest:regproc! oprjoin:regproc!
pg_opfamily 2753 oid:oid! opfmethod:oid! opfname! opfnamespace:oid! opfowner:oid!
pg_parameter_acl 6243 oid:oid! parname:text! paracl:_aclitem
pg_partitioned_table 3350 partrelid:oid! partstrat:char! partnatts:int2! partdefid:oid! partattrs:int2vector! partclass:oidvector! partcollation:oidvector! partexprs:pg_node_tree
pg_policies schemaname tablename policyname permissive:text roles:_name cmd:text qual:text with_check:text
pg_policy 3256 oid:oid! polname! polrelid:oid! polcmd:char! polpermissive:bool! polroles:_oid! polqual:pg_node_tree polwithcheck:pg_node_tree
pg_prepared_statements name:text statement:text prepare_time:timestamptz parameter_types:_regtype from_sql:bool generic_plans:int8 custom_plans:int8
pg_prepared_xacts transaction:xid gid:text prepared:timestamptz owner database
pg_proc 1255 oid:oid! proname! pronamespace:oid! proowner:oid! prolang:oid! procost:float4! prorows:float4! provariadic:oid! prosupport:regproc! prokind:char! prosecdef:bool! proleakproof:bool! proisstrict:bool! proretset:bool! provolatile:char! proparallel:char! pronargs:int2! pronargdefaults:int2! prorettype:oid! proargtypes:oidvector! proallargtypes:_oid proargmodes:_char proargnames:_text proargdefaults:pg_node_tree protrftypes:_oid prosrc:text! probin:text prosqlbody:pg_node_tree proconfig:_text proacl:_aclitem
pg_publication 6104 oid:oid! pubname! pubowner:oid! puballtables:bool! pubinsert:bool! pubupdate:bool! pubdelete:bool! pubtruncate:bool! pubviaroot:bool!
pg_publication_namespace 6237 oid:oid! pnpubid:oid! pnnspid:oid!
pg_publication_rel 6106 oid:oid! prpubid:oid! prrelid:oid! prqual:pg_node_tree prattrs:int2vector
pg_publication_tables pubname schemaname tablename attnames:_name rowfilter:text
pg_range 3541 rngtypid:oid! rngsubtype:oid! rngmultitypid:oid! rngcollation:oid! rngsubopc:oid! rngcanonical:regproc! rngsubdiff:regproc!
pg_replication_origin 6000 roident:oid! roname:text!
pg_replication_origin_status local_id:oid external_id:text remote_lsn:pg_lsn local_lsn:pg_lsn
pg_replication_slots slot_name plugin slot_type:text datoid:oid database temporary:bool active:bool active_pid:int4 xmin:xid catalog_xmin:xid restart_lsn:pg_lsn confirmed_flush_lsn:pg_lsn wal_status:text safe_wal_size:int8 two_phase:bool
pg_rewrite 2618 oid:oid! rulename! ev_class:oid! ev_type:char! ev_enabled:char! is_instead:bool! ev_qual:pg_node_tree! ev_action:pg_node_tree!
pg_roles rolname rolsuper:bool rolinherit:bool rolcreaterole:bool rolcreatedb:bool rolcanlogin:bool rolreplication:bool rolconnlimit:int4 rolpassword:text rolvaliduntil:timestamptz rolbypassrls:bool rolconfig:_text oid:oid
pg_rules schemaname tablename rulename definition:text
pg_seclabel 3596 objoid:oid! classoid:oid! objsubid:int4! provider:text! label:text!
pg_seclabels objoid:oid classoid:oid objsubid:int4 objtype:text objnamespace:oid objname:text provider:text label:text
pg_sequence 2224 seqrelid:oid! seqtypid:oid! seqstart:int8! seqincrement:int8! seqmax:int8! seqmin:int8! seqcache:int8! seqcycle:bool!
pg_sequences schemaname sequencename sequenceowner data_type:regtype start_value:int8 min_value:int8 max_value:int8 increment_by:int8 cycle:bool cache_size:int8 last_value:int8
pg_settings name:text setting:text unit:text category:text short_desc:text extra_desc:text context:text vartype:text source:text min_val:text max_val:text enumvals:_text boot_val:text reset_val:text sourcefile:text sourceline:int4 pending_restart:bool
pg_shadow usename usesysid:oid usecreatedb:bool usesuper:bool userepl:bool usebypassrls:bool passwd:text valuntil:timestamptz useconfig:_text
pg_shdepend 1214 dbid:oid! classid:oid! objid:oid! objsubid:int4! refclassid:oid! refobjid:oid! deptype:char!
pg_shdescription 2396 objoid:oid! classoid:oid! description:text!
pg_shmem_allocations name:text off:int8 size:int8 allocated_size:int8
pg_shseclabel 3592 objoid:oid! classoid:oid! provider:text! label:text!
pg_stat_activity datid:oid datname pid:int4 leader_pid:int4 usesysid:oid usename application_name:text client_addr:inet client_hostname:text client_port:int4 backend_start:timestamptz xact_start:timestamptz query_start:timestamptz state_change:timestamptz wait_event_type:text wait_event:text state:text backend_xid:xid backend_xmin:xid query_id:int8 query:text backend_type:text
pg_stat_all_indexes relid:oid indexrelid:oid schemaname relname indexrelname idx_scan:int8 idx_tup_read:int8 idx_tup_fetch:int8
pg_stat_all_tables relid:oid schemaname relname seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8 n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8 autoanalyze_count:int8
pg_stat_archiver archived_count:int8 last_archived_wal:text last_archived_time:timestamptz failed_count:int8 last_failed_wal:text last_failed_time:timestamptz stats_reset:timestamptz
pg_stat_bgwriter checkpoints_timed:int8 checkpoints_req:int8 checkpoint_write_time:float8 checkpoint_sync_time:float8 buffers_checkpoint:int8 buffers_clean:int8 maxwritten_clean:int8 buffers_backend:int8 buffers_backend_fsync:int8 buffers_alloc:int8 stats_reset:timestamptz
pg_stat_database datid:oid datname numbackends:int4 xact_commit:int8 xact_rollback:int8 blks_read:int8 blks_hit:int8 tup_returned:int8 tup_fetched:int8 tup_inserted:int8 tup_updated:int8 tup_deleted:int8 conflicts:int8 temp_files:int8 temp_bytes:int8 deadlocks:int8 checksum_failures:int8 checksum_last_failure:timestamptz blk_read_time:float8 blk_write_time:float8 session_time:float8 active_time:float8 idle_in_transaction_time:float8 sessions:int8 sessions_abandoned:int8 sessions_fatal:int8 sessions_killed:int8 stats_reset:timestamptz
pg_stat_database_conflicts datid:oid datname confl_tablespace:int8 confl_lock:int8 confl_snapshot:int8 confl_bufferpin:int8 confl_deadlock:int8
pg_stat_gssapi pid:int4 gss_authenticated:bool principal:text encrypted:bool
pg_stat_progress_analyze pid:int4 datid:oid datname relid:oid phase:text sample_blks_total:int8 sample_blks_scanned:int8 ext_stats_total:int8 ext_stats_computed:int8 child_tables_total:int8 child_tables_done:int8 current_child_table_relid:oid
pg_stat_progress_basebackup pid:int4 phase:text backup_total:int8 backup_streamed:int8 tablespaces_total:int8 tablespaces_streamed:int8
pg_stat_progress_cluster pid:int4 datid:oid datname relid:oid command:text phase:text cluster_index_relid:oid heap_tuples_scanned:int8 heap_tuples_written:int8 heap_blks_total:int8 heap_blks_scanned:int8 index_rebuild_count:int8
pg_stat_progress_copy pid:int4 datid:oid datname relid:oid command:text type:text bytes_processed:int8 bytes_total:int8 tuples_processed:int8 tuples_excluded:int8
pg_stat_progress_create_index pid:int4 datid:oid datname relid:oid index_relid:oid command:text phase:text lockers_total:int8 lockers_done:int8 current_locker_pid:int8 blocks_total:int8 blocks_done:int8 tuples_total:int8 tuples_done:int8 partitions_total:int8 partitions_done:int8
pg_stat_progress_vacuum pid:int4 datid:oid datname relid:oid phase:text heap_blks_total:int8 heap_blks_scanned:int8 heap_blks_vacuumed:int8 index_vacuum_count:int8 max_dead_tuples:int8 num_dead_tuples:int8
pg_stat_recovery_prefetch stats_reset:timestamptz prefetch:int8 hit:int8 skip_init:int8 skip_new:int8 skip_fpw:int8 skip_rep:int8 wal_distance:int4 block_distance:int4 io_depth:int4
pg_stat_replication pid:int4 usesysid:oid usename application_name:text client_addr:inet client_hostname:text client_port:int4 backend_start:timestamptz backend_xmin:xid state:text sent_lsn:pg_lsn write_lsn:pg_lsn flush_lsn:pg_lsn replay_lsn:pg_lsn write_lag:interval flush_lag:interval replay_lag:interval sync_priority:int4 sync_state:text reply_time:timestamptz
pg_stat_replication_slots slot_name:text spill_txns:int8 spill_count:int8 spill_bytes:int8 stream_txns:int8 stream_count:int8 stream_bytes:int8 total_txns:int8 total_bytes:int8 stats_reset:timestamptz
pg_stat_slru name:text blks_zeroed:int8 blks_hit:int8 blks_read:int8 blks_written:int8 blks_exists:int8 flushes:int8 truncates:int8 stats_reset:timestamptz
pg_stat_ssl pid:int4 ssl:bool version:text cipher:text bits:int4 client_dn:text client_serial:numeric issuer_dn:text
pg_stat_subscription subid:oid subname pid:int4 relid:oid received_lsn:pg_lsn last_msg_send_time:timestamptz last_msg_receipt_time:timestamptz latest_end_lsn:pg_lsn latest_end_time:timestamptz
pg_stat_subscription_stats subid:oid subname apply_error_count:int8 sync_error_count:int8 stats_reset:timestamptz
pg_stat_sys_indexes relid:oid indexrelid:oid schemaname relname indexrelname idx_scan:int8 idx_tup_read:int8 idx_tup_fetch:int8
pg_stat_sys_tables relid:oid schemaname relname seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8 n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8 autoanalyze_count:int8
pg_stat_user_functions funcid:oid schemaname funcname calls:int8 total_time:float8 self_time:float8
pg_stat_user_indexes relid:oid indexrelid:oid schemaname relname indexrelname idx_scan:int8 idx_tup_read:int8 idx_tup_fetch:int8
pg_stat_user_tables relid:oid schemaname relname seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8 n_live_tup:int8 n_dead_tup:int8 n_mod_since_analyze:int8 n_ins_since_vacuum:int8 last_vacuum:timestamptz last_autovacuum:timestamptz last_analyze:timestamptz last_autoanalyze:timestamptz vacuum_count:int8 autovacuum_count:int8 analyze_count:int8 autoanalyze_count:int8
pg_stat_wal wal_records:int8 wal_fpi:int8 wal_bytes:numeric wal_buffers_full:int8 wal_write:int8 wal_sync:int8 wal_write_time:float8 wal_sync_time:float8 stats_reset:timestamptz
pg_stat_wal_receiver pid:int4 status:text receive_start_lsn:pg_lsn receive_start_tli:int4 written_lsn:pg_lsn flushed_lsn:pg_lsn received_tli:int4 last_msg_send_time:timestamptz last_msg_receipt_time:timestamptz latest_end_lsn:pg_lsn latest_end_time:timestamptz slot_name:text sender_host:text sender_port:int4 conninfo:text
pg_stat_xact_all_tables relid:oid schemaname relname seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8
pg_stat_xact_sys_tables relid:oid schemaname relname seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8
pg_stat_xact_user_functions funcid:oid schemaname funcname calls:int8 total_time:float8 self_time:float8
pg_stat_xact_user_tables relid:oid schemaname relname seq_scan:int8 seq_tup_read:int8 idx_scan:int8 idx_tup_fetch:int8 n_tup_ins:int8 n_tup_upd:int8 n_tup_del:int8 n_tup_hot_upd:int8
pg_statio_all_indexes relid:oid indexrelid:oid schemaname relname indexrelname idx_blks_read:int8 idx_blks_hit:int8
pg_statio_all_sequences relid:oid schemaname relname blks_read:int8 blks_hit:int8
pg_statio_all_tables relid:oid schemaname relname heap_blks_read:int8 heap_blks_hit:int8 idx_blks_read:int8 idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8 tidx_blks_read:int8 tidx_blks_hit:int8
pg_statio_sys_indexes relid:oid indexrelid:oid schemaname relname indexrelname idx_blks_read:int8 idx_blks_hit:int8
pg_statio_sys_sequences relid:oid schemaname relname blks_read:int8 blks_hit:int8
pg_statio_sys_tables relid:oid schemaname relname heap_blks_read:int8 heap_blks_hit:int8 idx_blks_read:int8 idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8 tidx_blks_read:int8 tidx_blks_hit:int8
pg_statio_user_indexes relid:oid indexrelid:oid schemaname relname indexrelname idx_blks_read:int8 idx_blks_hit:int8
pg_statio_user_sequences relid:oid schemaname relname blks_read:int8 blks_hit:int8
pg_statio_user_tables relid:oid schemaname relname heap_blks_read:int8 heap_blks_hit:int8 idx_blks_read:int8 idx_blks_hit:int8 toast_blks_read:int8 toast_blks_hit:int8 tidx_blks_read:int8 tidx_blks_hit:int8
pg_statistic 2619 starelid:oid! staattnum:int2! stainherit:bool! stanullfrac:float4! stawidth:int4! stadistinct:float4! stakind1:int2! stakind2:int2! stakind3:int2! stakind4:int2! stakind5:int2! staop1:oid! staop2:oid! staop3:oid! staop4:oid! staop5:oid! stacoll1:oid! stacoll2:oid! stacoll3:oid! stacoll4:oid! stacoll5:oid! stanumbers1:_float4 stanumbers2:_float4 stanumbers3:_float4 stanumbers4:_float4 stanumbers5:_float4 stavalues1:anyarray stavalues2:anyarray stavalues3:anyarray stavalues4:anyarray stavalues5:anyarray
pg_statistic_ext 3381 oid:oid! stxrelid:oid! stxname! stxnamespace:oid! stxowner:oid! stxstattarget:int4! stxkeys:int2vector! stxkind:_char! stxexprs:pg_node_tree
pg_statistic_ext_data 3429 stxoid:oid! stxdinherit:bool! stxdndistinct:pg_ndistinct stxddependencies:pg_dependencies stxdmcv:pg_mcv_list stxdexpr:_pg_statistic
pg_stats schemaname tablename attname inherited:bool null_frac:float4 avg_width:int4 n_distinct:float4 most_common_vals:anyarray most_common_freqs:_float4 histogram_bounds:anyarray correlation:float4 most_common_elems:anyarray most_common_elem_freqs:_float4 elem_count_histogram:_float4
pg_stats_ext schemaname tablename statistics_schemaname statistics_name statistics_owner attnames:_name exprs:_text kinds:_char inherited:bool n_distinct:pg_ndistinct dependencies:pg_dependencies most_common_vals:_text most_common_val_nulls:_bool most_common_freqs:_float8 most_common_base_freqs:_float8
pg_stats_ext_exprs schemaname tablename statistics_schemaname statistics_name statistics_owner expr:text inherited:bool null_frac:float4 avg_width:int4 n_distinct:float4 most_common_vals:anyarray most_common_freqs:_float4 histogram_bounds:anyarray correlation:float4 most_common_elems:anyarray most_common_elem_freqs:_float4 elem_count_histogram:_float4
pg_subscription 6100 oid:oid! subdbid:oid! subskiplsn:pg_lsn! subname! subowner:oid! subenabled:bool! subbinary:bool! substream:bool! subtwophasestate:char! subdisableonerr:bool! subconninfo:text! subslotname subsynccommit:text! subpublications:_text!
pg_subscription_rel 6102 srsubid:oid! srrelid:oid! srsubstate:char! srsublsn:pg_lsn
pg_tables schemaname tablename tableowner tablespace hasindexes:bool hasrules:bool hastriggers:bool rowsecurity:bool
pg_tablespace 1213 oid:oid! spcname! spcowner:oid! spcacl:_aclitem spcoptions:_text
pg_timezone_abbrevs abbrev:text utc_offset:interval is_dst:bool
pg_timezone_names name:text abbrev:text utc_offset:interval is_dst:bool
pg_transform 3576 oid:oid! trftype:oid! trflang:oid! trffromsql:regproc! trftosql:regproc!
pg_trigger 2620 oid:oid! tgrelid:oid! tgparentid:oid! tgname! tgfoid:oid! tgtype:int2! tgenabled:char! tgisinternal:bool! tgconstrrelid:oid! tgconstrindid:oid! tgconstraint:oid! tgdeferrable:bool! tginitdeferred:bool! tgnargs:int2! tgattr:int2vector! tgargs:bytea! tgqual:pg_node_tree tgoldtable tgnewtable
pg_ts_config 3602 oid:oid! cfgname! cfgnamespace:oid! cfgowner:oid! cfgparser:oid!
pg_ts_config_map 3603 mapcfg:oid! maptokentype:int4! mapseqno:int4! mapdict:oid!
pg_ts_dict 3600 oid:oid! dictname! dictnamespace:oid! dictowner:oid! dicttemplate:oid! dictinitoption:text
pg_ts_parser 3601 oid:oid! prsname! prsnamespace:oid! prsstart:regproc! prstoken:regproc! prsend:regproc! prsheadline:regproc! prslextype:regproc!
pg_ts_template 3764 oid:oid! tmplname! tmplnamespace:oid! tmplinit:regproc! tmpllexize:regproc!
pg_type 1247 oid:oid! typname! typnamespace:oid! typowner:oid! typlen:int2! typbyval:bool! typtype:char! typcategory:char! typispreferred:bool! typisdefined:bool! typdelim:char! typrelid:oid! typsubscript:regproc! typelem:oid! typarray:oid! typinput:regproc! typoutput:regproc! typreceive:regproc! typsend:regproc! typmodin:regproc! typmodout:regproc! typanalyze:regproc! typalign:char! typstorage:char! typnotnull:bool! typbasetype:oid! typtypmod:int4! typndims:int4! typcollation:oid! typdefaultbin:pg_node_tree typdefault:text typacl:_aclitem
pg_user usename usesysid:oid usecreatedb:bool usesuper:bool userepl:bool usebypassrls:bool passwd:text valuntil:timestamptz useconfig:_text
pg_user_mapping 1418 oid:oid! umuser:oid! umserver:oid! umoptions:_text
pg_user_mappings umid:oid srvid:oid srvname umuser:oid usename umoptions:_text
pg_views schemaname viewname viewowner definition:text
`

export const informationSchema = `
_pg_foreign_data_wrappers oid:oid fdwowner:oid fdwoptions:_text foreign_data_wrapper_catalog foreign_data_wrapper_name authorization_identifier foreign_data_wrapper_language:varchar
_pg_foreign_servers oid:oid srvoptions:_text foreign_server_catalog foreign_server_name foreign_data_wrapper_catalog foreign_data_wrapper_name foreign_server_type:varchar foreign_server_version:varchar authorization_identifier
_pg_foreign_table_columns nspname relname attname attfdwoptions:_text
_pg_foreign_tables foreign_table_catalog foreign_table_schema foreign_table_name ftoptions:_text foreign_server_catalog foreign_server_name authorization_identifier
_pg_user_mappings oid:oid umoptions:_text umuser:oid authorization_identifier foreign_server_catalog foreign_server_name srvowner
administrable_role_authorizations grantee role_name is_grantable:yes_or_no
applicable_roles grantee role_name is_grantable:yes_or_no
attributes udt_catalog udt_schema udt_name attribute_name ordinal_position:int4 attribute_default:varchar is_nullable:yes_or_no data_type:varchar character_maximum_length:int4 character_octet_length:int4 character_set_catalog character_set_schema character_set_name collation_catalog collation_schema collation_name numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4 datetime_precision:int4 interval_type:varchar interval_precision:int4 attribute_udt_catalog attribute_udt_schema attribute_udt_name scope_catalog scope_schema scope_name maximum_cardinality:int4 dtd_identifier is_derived_reference_attribute:yes_or_no
character_sets character_set_catalog character_set_schema character_set_name character_repertoire form_of_use default_collate_catalog default_collate_schema default_collate_name
check_constraint_routine_usage constraint_catalog constraint_schema constraint_name specific_catalog specific_schema specific_name
check_constraints constraint_catalog constraint_schema constraint_name check_clause:varchar
collation_character_set_applicability collation_catalog collation_schema collation_name character_set_catalog character_set_schema character_set_name
collations collation_catalog collation_schema collation_name pad_attribute:varchar
column_column_usage table_catalog table_schema table_name column_name dependent_column
column_domain_usage domain_catalog domain_schema domain_name table_catalog table_schema table_name column_name
column_options table_catalog table_schema table_name column_name option_name option_value:varchar
column_privileges grantor grantee table_catalog table_schema table_name column_name privilege_type:varchar is_grantable:yes_or_no
column_udt_usage udt_catalog udt_schema udt_name table_catalog table_schema table_name column_name
columns table_catalog table_schema table_name column_name ordinal_position:int4 column_default:varchar is_nullable:yes_or_no data_type:varchar character_maximum_length:int4 character_octet_length:int4 numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4 datetime_precision:int4 interval_type:varchar interval_precision:int4 character_set_catalog character_set_schema character_set_name collation_catalog collation_schema collation_name domain_catalog domain_schema domain_name udt_catalog udt_schema udt_name scope_catalog scope_schema scope_name maximum_cardinality:int4 dtd_identifier is_self_referencing:yes_or_no is_identity:yes_or_no identity_generation:varchar identity_start:varchar identity_increment:varchar identity_maximum:varchar identity_minimum:varchar identity_cycle:yes_or_no is_generated:varchar generation_expression:varchar is_updatable:yes_or_no
constraint_column_usage table_catalog table_schema table_name column_name constraint_catalog constraint_schema constraint_name
constraint_table_usage table_catalog table_schema table_name constraint_catalog constraint_schema constraint_name
data_type_privileges object_catalog object_schema object_name object_type:varchar dtd_identifier
domain_constraints constraint_catalog constraint_schema constraint_name domain_catalog domain_schema domain_name is_deferrable:yes_or_no initially_deferred:yes_or_no
domain_udt_usage udt_catalog udt_schema udt_name domain_catalog domain_schema domain_name
domains domain_catalog domain_schema domain_name data_type:varchar character_maximum_length:int4 character_octet_length:int4 character_set_catalog character_set_schema character_set_name collation_catalog collation_schema collation_name numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4 datetime_precision:int4 interval_type:varchar interval_precision:int4 domain_default:varchar udt_catalog udt_schema udt_name scope_catalog scope_schema scope_name maximum_cardinality:int4 dtd_identifier
element_types object_catalog object_schema object_name object_type:varchar collection_type_identifier data_type:varchar character_maximum_length:int4 character_octet_length:int4 character_set_catalog character_set_schema character_set_name collation_catalog collation_schema collation_name numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4 datetime_precision:int4 interval_type:varchar interval_precision:int4 domain_default:varchar udt_catalog udt_schema udt_name scope_catalog scope_schema scope_name maximum_cardinality:int4 dtd_identifier
enabled_roles role_name
foreign_data_wrapper_options foreign_data_wrapper_catalog foreign_data_wrapper_name option_name option_value:varchar
foreign_data_wrappers foreign_data_wrapper_catalog foreign_data_wrapper_name authorization_identifier library_name:varchar foreign_data_wrapper_language:varchar
foreign_server_options foreign_server_catalog foreign_server_name option_name option_value:varchar
foreign_servers foreign_server_catalog foreign_server_name foreign_data_wrapper_catalog foreign_data_wrapper_name foreign_server_type:varchar foreign_server_version:varchar authorization_identifier
foreign_table_options foreign_table_catalog foreign_table_schema foreign_table_name option_name option_value:varchar
foreign_tables foreign_table_catalog foreign_table_schema foreign_table_name foreign_server_catalog foreign_server_name
information_schema_catalog_name catalog_name
key_column_usage constraint_catalog constraint_schema constraint_name table_catalog table_schema table_name column_name ordinal_position:int4 position_in_unique_constraint:int4
parameters specific_catalog specific_schema specific_name ordinal_position:int4 parameter_mode:varchar is_result:yes_or_no as_locator:yes_or_no parameter_name data_type:varchar character_maximum_length:int4 character_octet_length:int4 character_set_catalog character_set_schema character_set_name collation_catalog collation_schema collation_name numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4 datetime_precision:int4 interval_type:varchar interval_precision:int4 udt_catalog udt_schema udt_name scope_catalog scope_schema scope_name maximum_cardinality:int4 dtd_identifier parameter_default:varchar
referential_constraints constraint_catalog constraint_schema constraint_name unique_constraint_catalog unique_constraint_schema unique_constraint_name match_option:varchar update_rule:varchar delete_rule:varchar
role_column_grants grantor grantee table_catalog table_schema table_name column_name privilege_type:varchar is_grantable:yes_or_no
role_routine_grants grantor grantee specific_catalog specific_schema specific_name routine_catalog routine_schema routine_name privilege_type:varchar is_grantable:yes_or_no
role_table_grants grantor grantee table_catalog table_schema table_name privilege_type:varchar is_grantable:yes_or_no with_hierarchy:yes_or_no
role_udt_grants grantor grantee udt_catalog udt_schema udt_name privilege_type:varchar is_grantable:yes_or_no
role_usage_grants grantor grantee object_catalog object_schema object_name object_type:varchar privilege_type:varchar is_grantable:yes_or_no
routine_column_usage specific_catalog specific_schema specific_name routine_catalog routine_schema routine_name table_catalog table_schema table_name column_name
routine_privileges grantor grantee specific_catalog specific_schema specific_name routine_catalog routine_schema routine_name privilege_type:varchar is_grantable:yes_or_no
routine_routine_usage specific_catalog specific_schema specific_name routine_catalog routine_schema routine_name
routine_sequence_usage specific_catalog specific_schema specific_name routine_catalog routine_schema routine_name sequence_catalog sequence_schema sequence_name
routine_table_usage specific_catalog specific_schema specific_name routine_catalog routine_schema routine_name table_catalog table_schema table_name
routines specific_catalog specific_schema specific_name routine_catalog routine_schema routine_name routine_type:varchar module_catalog module_schema module_name udt_catalog udt_schema udt_name data_type:varchar character_maximum_length:int4 character_octet_length:int4 character_set_catalog character_set_schema character_set_name collation_catalog collation_schema collation_name numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4 datetime_precision:int4 interval_type:varchar interval_precision:int4 type_udt_catalog type_udt_schema type_udt_name scope_catalog scope_schema scope_name maximum_cardinality:int4 dtd_identifier routine_body:varchar routine_definition:varchar external_name:varchar external_language:varchar parameter_style:varchar is_deterministic:yes_or_no sql_data_access:varchar is_null_call:yes_or_no sql_path:varchar schema_level_routine:yes_or_no max_dynamic_result_sets:int4 is_user_defined_cast:yes_or_no is_implicitly_invocable:yes_or_no security_type:varchar to_sql_specific_catalog to_sql_specific_schema to_sql_specific_name as_locator:yes_or_no created:timestamptz last_altered:timestamptz new_savepoint_level:yes_or_no is_udt_dependent:yes_or_no result_cast_from_data_type:varchar result_cast_as_locator:yes_or_no result_cast_char_max_length:int4 result_cast_char_octet_length:int4 result_cast_char_set_catalog result_cast_char_set_schema result_cast_char_set_name result_cast_collation_catalog result_cast_collation_schema result_cast_collation_name result_cast_numeric_precision:int4 result_cast_numeric_precision_radix:int4 result_cast_numeric_scale:int4 result_cast_datetime_precision:int4 result_cast_interval_type:varchar result_cast_interval_precision:int4 result_cast_type_udt_catalog result_cast_type_udt_schema result_cast_type_udt_name result_cast_scope_catalog result_cast_scope_schema result_cast_scope_name result_cast_maximum_cardinality:int4 result_cast_dtd_identifier
schemata catalog_name schema_name schema_owner default_character_set_catalog default_character_set_schema default_character_set_name sql_path:varchar
sequences sequence_catalog sequence_schema sequence_name data_type:varchar numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4 start_value:varchar minimum_value:varchar maximum_value:varchar increment:varchar cycle_option:yes_or_no
sql_features feature_id:varchar feature_name:varchar sub_feature_id:varchar sub_feature_name:varchar is_supported:yes_or_no is_verified_by:varchar comments:varchar
sql_implementation_info implementation_info_id:varchar implementation_info_name:varchar integer_value:int4 character_value:varchar comments:varchar
sql_parts feature_id:varchar feature_name:varchar is_supported:yes_or_no is_verified_by:varchar comments:varchar
sql_sizing sizing_id:int4 sizing_name:varchar supported_value:int4 comments:varchar
table_constraints constraint_catalog constraint_schema constraint_name table_catalog table_schema table_name constraint_type:varchar is_deferrable:yes_or_no initially_deferred:yes_or_no enforced:yes_or_no nulls_distinct:yes_or_no
table_privileges grantor grantee table_catalog table_schema table_name privilege_type:varchar is_grantable:yes_or_no with_hierarchy:yes_or_no
tables table_catalog table_schema table_name table_type:varchar self_referencing_column_name reference_generation:varchar user_defined_type_catalog user_defined_type_schema user_defined_type_name is_insertable_into:yes_or_no is_typed:yes_or_no commit_action:varchar
transforms udt_catalog udt_schema udt_name specific_catalog specific_schema specific_name group_name transform_type:varchar
triggered_update_columns trigger_catalog trigger_schema trigger_name event_object_catalog event_object_schema event_object_table event_object_column
triggers trigger_catalog trigger_schema trigger_name event_manipulation:varchar event_object_catalog event_object_schema event_object_table action_order:int4 action_condition:varchar action_statement:varchar action_orientation:varchar action_timing:varchar action_reference_old_table action_reference_new_table action_reference_old_row action_reference_new_row created:timestamptz
udt_privileges grantor grantee udt_catalog udt_schema udt_name privilege_type:varchar is_grantable:yes_or_no
usage_privileges grantor grantee object_catalog object_schema object_name object_type:varchar privilege_type:varchar is_grantable:yes_or_no
user_defined_types user_defined_type_catalog user_defined_type_schema user_defined_type_name user_defined_type_category:varchar is_instantiable:yes_or_no is_final:yes_or_no ordering_form:varchar ordering_category:varchar ordering_routine_catalog ordering_routine_schema ordering_routine_name reference_type:varchar data_type:varchar character_maximum_length:int4 character_octet_length:int4 character_set_catalog character_set_schema character_set_name collation_catalog collation_schema collation_name numeric_precision:int4 numeric_precision_radix:int4 numeric_scale:int4 datetime_precision:int4 interval_type:varchar interval_precision:int4 source_dtd_identifier ref_dtd_identifier
user_mapping_options authorization_identifier foreign_server_catalog foreign_server_name option_name option_value:varchar
user_mappings authorization_identifier foreign_server_catalog foreign_server_name
view_column_usage view_catalog view_schema view_name table_catalog table_schema table_name column_name
view_routine_usage table_catalog table_schema table_name specific_catalog specific_schema specific_name
view_table_usage view_catalog view_schema view_name table_catalog table_schema table_name
views table_catalog table_schema table_name view_definition:varchar check_option:varchar is_updatable:yes_or_no is_insertable_into:yes_or_no is_trigger_updatable:yes_or_no is_trigger_deletable:yes_or_no is_trigger_insertable_into:yes_or_no
`

/**
 * Its types: name, oid, oid of its arrays, length; kind, category, alignment and storage, `!` for the preferred of its
 * category, `v` for one that is passed by value; its collation; what its functions' names begin with, `norecv` where it
 * is not read in binary, `mod` where it takes a length; and its name in SQL.
 */
export const pgTypes = `
bool 16 1000 1 bBcp!v bool boolean
bytea 17 1001 -1 bUix bytea bytea
char 18 1002 1 bZcpv char "char"
name 19 1003 64 bScp 950 name name
int8 20 1016 8 bNdpv int8 bigint
int2 21 1005 2 bNspv int2 smallint
int2vector 22 1006 -1 bAip int2vector int2vector
int4 23 1007 4 bNipv int4 integer
regproc 24 1008 4 bNipv regproc regproc
text 25 1009 -1 bSix! 100 text text
oid 26 1028 4 bNip!v oid oid
tid 27 1010 6 bUsp tid tid
xid 28 1011 4 bUipv xid xid
cid 29 1012 4 bUipv cid cid
oidvector 30 1013 -1 bAip oidvector oidvector
json 114 199 -1 bUix json_ json
xml 142 143 -1 bUix xml_ xml
pg_node_tree 194 0 -1 bZix 100 pg_node_tree_ pg_node_tree
cidr 650 651 -1 bIim cidr_ cidr
float4 700 1021 4 bNipv float4 real
float8 701 1022 8 bNdp!v float8 double precision
unknown 705 0 -2 pXcp unknown unknown
money 790 791 8 bNdpv cash_ money
macaddr 829 1040 6 bUip macaddr_ macaddr
inet 869 1041 -1 bIim! inet_ inet
aclitem 1033 1034 12 bUip aclitem norecv aclitem
bpchar 1042 1014 -1 bSix 100 bpchar mod character
varchar 1043 1015 -1 bSix 100 varchar mod character varying
date 1082 1182 4 bDipv date_ date
time 1083 1183 8 bDdpv time_ mod time without time zone
timestamp 1114 1115 8 bDdpv timestamp_ mod timestamp without time zone
timestamptz 1184 1185 8 bDdp!v timestamptz_ mod timestamp with time zone
interval 1186 1187 16 bTdp! interval_ mod interval
timetz 1266 1270 12 bDdp timetz_ mod time with time zone
bit 1560 1561 -1 bVix bit_ mod bit
varbit 1562 1563 -1 bVix! varbit_ mod bit varying
numeric 1700 1231 -1 bNim numeric_ mod numeric
regprocedure 2202 2207 4 bNipv regprocedure regprocedure
regoper 2203 2208 4 bNipv regoper regoper
regoperator 2204 2209 4 bNipv regoperator regoperator
regclass 2205 2210 4 bNipv regclass regclass
regtype 2206 2211 4 bNipv regtype regtype
record 2249 2287 -1 pPdx record_ record
cstring 2275 1263 -2 pPcp cstring_ cstring
anyarray 2277 0 -1 pPdx anyarray_ anyarray
void 2278 0 4 pPipv void_ void
trigger 2279 0 4 pPipv trigger_ norecv trigger
anyelement 2283 0 4 pPipv anyelement_ norecv anyelement
uuid 2950 2951 16 bUcp uuid_ uuid
pg_lsn 3220 3221 8 bUdpv pg_lsn_ pg_lsn
pg_ndistinct 3361 0 -1 bZix 100 pg_ndistinct_ pg_ndistinct
pg_dependencies 3402 0 -1 bZix 100 pg_dependencies_ pg_dependencies
jsonb 3802 3807 -1 bUix jsonb_ jsonb
regnamespace 4089 4090 4 bNipv regnamespace regnamespace
regrole 4096 4097 4 bNipv regrole regrole
pg_mcv_list 5017 0 -1 bZix 100 pg_mcv_list_ pg_mcv_list
xid8 5069 271 8 bUdpv xid8 xid8
`
