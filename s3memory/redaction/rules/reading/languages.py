"""The words with which each language writes about passwords: a new language is one more row.

Spaces separate the words, and an underscore is a space within one. A name with "*" at its end is inflected; one with "*"
at its start also ends longer words.
"""

from __future__ import annotations

from typing import NamedTuple

from s3memory.redaction.text.combining_marks import marks_as_letters


class Language(NamedTuple):
    """The words of one language.

    Attributes:
        names: The names of a password, a passphrase and a PIN.
        verbs: Verbs and particles that link a name to its value: "is", "was set to".
        places: Prepositions and other words that begin a phrase after the name: "for the router", "of my account".
        said: Words in the place of a value that describe the password, as "expired", or stand for a missing one.
        users: The names of what comes with a password in a pair: "user", "login".
    """

    names: str
    verbs: str
    places: str
    said: str
    users: str


_ROWS = {
    "en": Language(
        "password passwords passphrase passphrases passcode passcodes pass_code passwort passowrd paasword pasword passwrod passwrd pass_phrase pass_word passwd psswd pswd pwd passw pw psw pass "
        "pin pin_code "
        "root_pw door_code gate_code alarm_code entry_code access_code keypad_code safe_code lock_code garage_code wifi_code storepass keypass community_string pre-shared_key preshared_key security_answer "
        "wifi_key wi-fi_key network_key wpa_key wpa2_key wireless_key luks_key safe_combination combination secret_word memorable_word code_word safe_word security_word key_phrase requirepass",
        "is was are will_be has_been becomes became remains stays is_just was_just is_simply was_simply is_literally is_actually is_the_word was_the_word is_literally_the_word is_literally_just should_be must_be is_now is_currently is_still was_set_to is_set_to "
        "set_to reset_to changed_to updated_to rotated_to has_been_changed_to has_been_set_to has_been_reset_to now "
        "used_to_be happens_to_be would_be ought_to_be turned_out_to_be could_be became being into takes 's equals reads goes which_is which_was that_is ist lautet est es é è är er jest este adalah là",
        "there here today again for of on to in at from by behind under with the a my your our their his her its this used we i you they he she",
        "required optional longer shorter verify create",
        "user username login account id name email e-mail acct usr user_name",
    ),
    "de": Language(
        "*passwort* *passwörter* *kennwort* kenncode *kennwörter* *zugangscode* *türcode* *passphrase* pin *losung *wlan-schlüssel* *netzwerkschlüssel*",
        "ist war lautet heißt heisst wird wäre bleibt sind lauten heißen ist_jetzt ist_nun lautet_jetzt lautet_nun wurde_auf auf ist_auf wurde_zu jetzt nun",
        "für fürs vom von der des den dem zum zur im in am auf an bei beim aus unter das die ein eines einer mein dein unser",
        "abgelaufen gesperrt falsch richtig korrekt gültig ungültig nötig erforderlich geändert zurückgesetzt "
        "verschlüsselt gehasht vergessen pflicht unbekannt geheim sicher unsicher siehe fehlt leer kommt "
        "vierstellig sechsstellig unverändert nachfragen fragen erfragen folgt offen gesucht verloren hinterlegt "
        "notiert liegt steht ausstehend gleich keins entfällt unklar",
        "benutzer benutzername nutzer nutzername konto anmeldename user login kennung",
    ),
    "fr": Language(
        "mot_de_passe* mot_de_pas mots_de_passe mdp code_d'accès code_pin code_porte code_de_la_porte code_de_porte code_du_portail code_du_coffre code_wifi clé_wifi clé_wi-fi clé_wpa phrase_secrète phrase_de_passe digicode pin",
        "est était sera reste devient sont c'est est_maintenant est_désormais changé_en changé_pour défini_sur à",
        "du de des d' pour sur à au aux dans le la les l' mon ton notre votre",
        "requis obligatoire expiré incorrect invalide oublié perdu vide faible changé modifié réinitialisé stocké "
        "chiffré faux inconnu inconnue manquant manquante demander voir renouvelé renouvelée renouveler écrit "
        "écrite aucun noté notée envoyé envoyée gardé gardée identique inchangé inchangée expirée oubliée perdue absent "
        "absente",
        "utilisateur identifiant compte login nom_d'utilisateur usager",
    ),
    "es": Language(
        "contraseña* contrasena* clave* palabra_de_paso frase_de_contraseña código_de_acceso código_de_la_puerta código_del_portón código_de_la_caja código_de_la_alarma contra pin",
        "es era será son sigue_siendo queda ahora_es está_en cambiada_a cambió_a se_cambió_a es_ahora",
        "del de la el los las para en por al a mi tu su nuestra nuestro",
        "incorrecta obligatoria requerida caducada expirada inválida errónea vacía débil segura olvidada "
        "necesaria cifrada correcta nueva cambiada bloqueada desconocida desconocido falta faltan preguntar ver "
        "escrita anotada guardada enviada renovada renovar perdida caducó pendiente igual restablecida ninguna",
        "usuario cuenta login nombre_de_usuario correo",
    ),
    "pt": Language(
        "senha* palavra-passe palavra_passe palavras-passe palavra-chave código_de_acesso código_da_porta código_do_portão código_do_cofre frase_secreta pin",
        "é eh era será são fica está passou_a_ser agora_é alterada_para mudou_para foi_alterada_para",
        "do da dos das de para no na em o a os as ao à minha meu nossa sua seu",
        "incorreta obrigatória expirada inválida vazia fraca esquecida necessária correta alterada criptografada "
        "bloqueada desconhecida desconhecido falta faltando perguntar ver escrita anotada guardada enviada "
        "renovada renovar perdida expirou pendente igual redefinida nenhuma",
        "usuário utilizador conta login nome_de_usuário",
    ),
    "it": Language(
        "password parola_d'ordine parola_d'accesso parola_chiave codice_di_accesso codice_della_porta codice_del_cancello codice_della_cassaforte codice_pin chiave_wifi passphrase* pin",
        "è era sarà sono resta diventa è_ora ora_è cambiata_in impostata_a impostata_su",
        "del della dei delle dello dell' di per sul sulla nel nella il la lo l' su al alla mia tua nostra",
        "scaduta errata obbligatoria richiesta sbagliata vuota debole dimenticata necessaria corretta cambiata "
        "bloccata sconosciuta sconosciuto manca mancante chiedere vedi vedere scritta annotata custodita inviata "
        "rinnovata rinnovare persa uguale reimpostata nessuna invariata",
        "utente account login nome_utente",
    ),
    "nl": Language(
        "*wachtwoord* *toegangscode* *wachtwoordzin *wachtzin wifi-sleutel pincode* pin ww",
        "is was luidt wordt blijft zijn is_nu is_gewijzigd_in gewijzigd_naar gewijzigd_in werd",
        "van voor op in bij de het een onze mijn jouw der den aan",
        "ingesteld uitgeschakeld opgeslagen gereset verlopen onjuist verplicht vergeten leeg vereist ongeldig "
        "gewijzigd zwak onbekend ontbreekt vraag vragen navragen zie staat ligt komt vernieuwd vernieuwen "
        "verloren ongewijzigd geen hetzelfde zelfde genoteerd minstens minimaal n.v.t.",
        "gebruiker gebruikersnaam account login",
    ),
    "sv": Language(
        "*lösenord* *lösenordet *lösenfras* *portkod* *åtkomstkod* kod_till lösen pin",
        "är var blir heter lyder är_nu ändrat_till ändrades_till sattes_till",
        "för till på i av hos från det den ett en vårt mitt",
        "fel felaktigt krävs obligatoriskt glömt tomt ogiltigt ändrat okänt okänd saknas fråga se står finns "
        "skickas förnyad förnyas glömd borttappad utgången utgånget ändrad oförändrat samma inget återställt "
        "återställd",
        "användare användarnamn konto login",
    ),
    "no": Language(
        "*passord* *passordet *tilgangskode* *dørkode* pin koden_til kode_til",
        "er var blir lyder heter er_nå endret_til satt_til",
        "for til på i av hos fra det den et en vårt mitt",
        "feil påkrevd glemt tomt ugyldig endret utløpt ukjent mangler spør se står ligger sendes fornyet fornyes "
        "mistet utløp uendret samme ingen nullstilt",
        "bruker brukernavn konto login",
    ),
    "da": Language(
        "*adgangskode* *kodeord* *tilgangskode* *dørkode* løsen løsenet pin koden_til kode_til",
        "er var bliver lyder hedder er_nu ændret_til sat_til",
        "for til på i af hos fra det den et en vores min",
        "forkert påkrævet glemt tomt ugyldig ændret udløbet ukendt mangler spørg se står ligger sendes fornyet "
        "fornyes mistet udløb uændret tom samme ingen nulstillet",
        "bruger brugernavn konto login",
    ),
    "fi": Language(
        "*salasana* *salalause* *pääsykoodi* *ovikoodi* *tunnusluku*",
        "on oli ovat on_nyt vaihdettiin muutettiin",
        "palvelimen palvelimelle wifin wifiin verkon tilin adminin käyttäjän reitittimen on",
        "väärä vanhentunut pakollinen unohtunut tyhjä virheellinen vaaditaan tuntematon puuttuu kysy katso lukee "
        "uusittu uusittava unohtui kadonnut vanheni vaihdettu vaihdettava muuttunut sama toimistossa "
        "kassakaapissa nollattu postissa vähintään",
        "käyttäjä käyttäjätunnus tunnus tili",
    ),
    "is": Language(
        "*lykilorð* *aðgangsorð*", "er var verður", "fyrir á að í", "rangt útrunnið nauðsynlegt", "notandi notandanafn"
    ),
    "pl": Language(
        "hasło* hasła hasłem hasłu haśle kod_dostępu kod_do pin",
        "to jest brzmi było będzie to_teraz zmieniono_na ustawiono_na wynosi",
        "do dla od na w z ze administratora serwera konta użytkownika bazy routera nasze moje",
        "nieprawidłowe wymagane wygasło błędne zapomniane puste zmienione słabe poprawne nieznane nieznany brak "
        "brakuje zapytaj pytaj patrz zapisane zapisany odnowione odnowić zapomniany zgubione wygasł zmieniony "
        "takie nieustawione zresetowane przyjdzie leży minimum",
        "użytkownik użytkownika konto login nazwa_użytkownika",
    ),
    "cs": Language(
        "heslo* hesla heslem heslu hesle pin přístupový_kód kód_k",
        "je bylo bude zní jsou je_teď změněno_na nastaveno_na",
        "k ke na do pro od z ze serveru správce účtu databáze routeru uživatele moje naše",
        "nesprávné povinné vypršelo špatné zapomenuté prázdné změněno neplatné neznámé neznámý chybí zeptej "
        "zeptat viz napsáno napsané obnoveno obnovit zapomenutý ztracené vypršel stejné stejný nenastaveno "
        "není resetováno přijde leží žádné vypršela",
        "uživatel uživatelské_jméno účet login",
    ),
    "sk": Language(
        "heslo* prístupový_kód",
        "je bolo bude znie je_teraz zmenené_na",
        "k ku na do pre od z zo servera správcu účtu databázy moje naše",
        "nesprávne povinné vypršalo zlé zabudnuté prázdne neplatné neznáme neznámy chýba opýtaj spýtaj pozri "
        "napísané obnovené obnoviť stratené zmenené rovnaké nenastavené príde žiadne",
        "používateľ používateľské_meno účet login",
    ),
    "hu": Language(
        "*jelszó* *jelszav* *jelszavunk* *jelszavam* *belépőkód* *kapukód* pin",
        "az a most lett volt ez mostantól",
        "a az szerver szerverhez wifi wifihez admin adminhoz adatbázis",
        "hibás kötelező lejárt rossz üres elfelejtett szükséges érvénytelen ismeretlen hiányzik kérdezd kérdezni "
        "lásd megújítva elfelejtve elveszett módosítva megváltozott ugyanaz nincs visszaállítva irodában széfben "
        "márciusban legalább",
        "felhasználó felhasználónév fiók",
    ),
    "ro": Language(
        "parola* parolă parole cod_de_acces",
        "este e era va_fi a_fost sunt este_acum schimbată_în",
        "pentru de la din pe a al lui serverului contului rețelei noastră mea",
        "greșită obligatorie expirată incorectă uitată goală invalidă necesară necunoscută necunoscut lipsește "
        "lipsă întreabă vezi scrisă scris reînnoită reînnoit uitat pierdută expirat schimbată schimbat aceeași "
        "același nesetată nesetat resetată minimum",
        "utilizator cont nume_de_utilizator",
    ),
    "hr": Language(
        "lozinka* lozinku lozinke zaporka* šifra* pristupni_kod",
        "je bila glasi bit_će su je_sada promijenjena_u postavljena_na",
        "za od na u do s sa servera poslužitelja računa baze rutera naša moja",
        "netočna obavezna istekla pogrešna zaboravljena prazna neispravna potrebna nepoznata nepoznat nedostaje "
        "pitaj vidi zapisana obnovljena izgubljena promijenjena ista nema",
        "korisnik korisničko_ime račun nalog",
    ),
    "sl": Language(
        "geslo* gesla",
        "je bilo bo se_glasi",
        "za od na v do",
        "napačno obvezno poteklo pozabljeno neznano neznan manjka vprašaj glej zapisano obnovljeno izgubljeno "
        "spremenjeno enako prazno ni",
        "uporabnik uporabniško_ime račun",
    ),
    "lt": Language(
        "slaptažodis* slaptažodį slaptažodžio",
        "yra buvo bus dabar",
        "nuo prie į serverio paskyros",
        "neteisingas privalomas pasibaigė nežinomas trūksta klausk žiūrėk užrašytas atnaujintas pamirštas "
        "pamestas pakeistas toks tuščias nėra",
        "vartotojas naudotojas paskyra",
    ),
    "lv": Language(
        "parole* paroli",
        "ir bija būs tagad",
        "no uz priekš servera konta",
        "nepareiza obligāta beigusies nezināma nezināms trūkst jautā skaties rakstīta atjaunota aizmirsta "
        "pazaudēta mainīta tāda tukša nav",
        "lietotājs lietotājvārds konts",
    ),
    "et": Language(
        "*parool* *salasõna*",
        "on oli saab",
        "jaoks serveri konto",
        "vale kohustuslik aegunud tundmatu puudub küsi vaata kirjas uuendatud unustatud kadunud muudetud sama tühi",
        "kasutaja kasutajanimi konto",
    ),
    "tr": Language(
        "şifre* parola* erişim_kodu kapı_kodu giriş_kodu wifi_şifresi",
        "olarak şu artık oldu şudur",
        "için sunucu wifi yönetici hesap veritabanı",
        "yanlış gerekli zorunlu geçersiz hatalı süresi boş unutuldu değiştirildi bilinmiyor eksik sor bak yazıyor "
        "yenilendi yenilenecek kayıp doldu değişti aynı ayarlanmadı sıfırlandı yok kasada ofiste eskisi belirlenecek",
        "kullanıcı kullanıcı_adı hesap",
    ),
    "id": Language(
        "kata_sandi* sandi* kata_kunci kode_akses",
        "adalah ialah yaitu menjadi sekarang diubah_menjadi",
        "untuk di dari pada ke server akun wifi kita saya",
        "salah wajib kedaluwarsa kosong lupa diperlukan hilang tanya lihat tertulis diperbarui diganti sama belum "
        "direset menyusul",
        "pengguna nama_pengguna akun",
    ),
    "ms": Language("kata_laluan*", "ialah adalah menjadi", "untuk di bagi pada", "salah wajib tamat", "pengguna akaun"),
    "vi": Language(
        "mật_khẩu mã_pin mã_cửa",
        "là đổi_thành đặt_là bây_giờ_là hiện_là",
        "của cho vào wifi máy_chủ server admin tài_khoản mới cũ",
        "sai bắt_buộc hết_hạn trống quên hỏi xem đổi thiếu ít_nhất như_cũ chưa_có chưa_đặt không_rõ",
        "người_dùng tài_khoản tên_đăng_nhập",
    ),
    "tl": Language("hudyat", "ay", "ng sa para", "mali kailangan", "user"),
    "sw": Language("nenosiri* neno_la_siri nywila", "ni ilikuwa", "la ya kwa wa", "si sahihi", "mtumiaji akaunti"),
    "af": Language("*wagwoord*", "is was", "vir van op by", "verkeerd verpligtend", "gebruiker"),
    "ca": Language(
        "contrasenya* codi_d'accés clau_d'accés",
        "és era serà",
        "del de per a la",
        "incorrecta obligatòria caducada desconeguda falta demanar veure escrita guardada renovada oblidada "
        "perduda igual buida cap",
        "usuari compte",
    ),
    "eu": Language("pasahitza* pasahitz*", "da zen", "zerbitzariko", "okerra derrigorrezkoa", "erabiltzailea"),
    "ga": Language("pasfhocal* focal_faire", "is", "do ar an", "mícheart", "úsáideoir"),
    "cy": Language("cyfrinair*", "yw ydy", "ar i", "anghywir", "defnyddiwr"),
    "eo": Language("pasvorto* pasvorton", "estas estis", "de por al", "malĝusta", "uzanto"),
    "sq": Language("fjalëkalimi* fjalëkalim*", "është ishte", "për i e", "gabim", "përdoruesi"),
    "az": Language("parol* şifrə*", "budur", "üçün", "səhv", "istifadəçi"),
    "uz": Language("parol* maxfiy_so'z", "bu", "uchun", "notoʻgʻri", "foydalanuvchi"),
    "ru": Language(
        "пароль* пароля паролем пароли пасс пасворд* пин-код* пин код_от код_домофона код_двери код_доступа кодовая_фраза секретная_фраза пасфраза",
        "это был будет теперь равен такой сменили_на изменён_на изменен_на поменяли_на стал",
        "от для к на в у из с сервера админа базы вайфая роутера администратора почты аккаунта пользователя новый старый",
        "неверный обязателен истёк истек сброшен изменён нужен утерян забыт неправильный пустой слабый хранится "
        "спросите смотри см нет указан неизвестен неизвестна отсутствует спросить спроси написан записан обновлён "
        "обновить забыли прежний тот пуст поменяли сбросили придёт лежит уточняется потерян",
        "логин пользователь юзер аккаунт учётка имя_пользователя",
    ),
    "uk": Language(
        "пароль* пароля пін-код* код_доступу кодова_фраза",
        "це був буде тепер такий змінено_на",
        "від для до на в у з сервера адміна бази роутера",
        "невірний обов'язковий закінчився скинуто забутий хибний потрібен невідомий невідома відсутній відсутня "
        "спитати спитай дивись написано записано оновлено оновити забули втрачено змінено попередній порожній "
        "поміняли скинули прийде лежить немає уточнюється загублено",
        "логін користувач акаунт обліковий_запис",
    ),
    "bg": Language(
        "парола* паролата код_за_достъп код_за_вход",
        "е беше ще_бъде са сменена_на",
        "за на от в към сървъра",
        "грешна задължителна изтекла забравена неизвестна неизвестен липсва питай виж написана записана обновена "
        "загубена сменена същата празна няма предстои обичайната",
        "потребител акаунт",
    ),
    "sr": Language(
        "лозинка* лозинку шифра*",
        "је била гласи",
        "за од на у",
        "погрешна обавезна истекла непозната непознат недостаје питај види записана обновљена заборављена изгубљена промењена иста празна нема",
        "корисник налог",
    ),
    "mk": Language("лозинка* лозинката", "е беше", "за на од", "погрешна", "корисник"),
    "kk": Language("құпиясөз* құпия_сөз*", "бұл", "үшін", "қате", "пайдаланушы"),
    "el": Language(
        "κωδικός* κωδικό συνθηματικό* κωδικοί",
        "είναι ήταν θα_είναι έγινε",
        "του της για στο στον στη πρόσβασης των από τον το",
        "λάθος υποχρεωτικός έληξε λανθασμένος άκυρος άγνωστος άγνωστη λείπει ρώτα ρωτήστε βλ γραμμένος ανανεώθηκε "
        "ξεχάστηκε χάθηκε άλλαξε ίδιος κενός κανένας",
        "χρήστης λογαριασμός όνομα_χρήστη",
    ),
    "hy": Language("գաղտնաբառ*", "է", "համար", "սխալ", "օգտատեր"),
    "ka": Language("პაროლი*", "არის", "თვის", "არასწორი", "მომხმარებელი"),
    "ar": Language(
        "كلمة_المرور كلمة_مرور كلمة_السر كلمة_سر الرقم_السري رمز_الدخول رمز_المرور الباسورد باسورد باسوورد",
        "هي هو كانت تكون أصبحت الآن إلى",
        "الخاصة الخاص ل لل في على من إلى الجديدة القديمة",
        "مطلوبة خاطئة منتهية غير صحيحة فارغة إلزامية ناقصة منسية مجهولة اسأل انظر مكتوبة محفوظة تغيرت نفسها لا",
        "المستخدم اسم_المستخدم الحساب",
    ),
    "he": Language(
        "סיסמה הסיסמה סיסמא הסיסמא סיסמת קוד_הכניסה קוד_הגישה קוד_גישה הקוד_הסודי קוד_סודי",
        "היא הוא הייתה תהיה שונתה_ל זה",
        "של ל לרשת ברשת ב עבור אל מ החדשה הישנה",
        "שגויה נדרשת פגה חובה ריקה לא חסרה נשכחה לא_ידוע שאל לשאול ראו ראה כתובה שמורה שונתה אותה אין",
        "משתמש שם_משתמש חשבון",
    ),
    "fa": Language(
        "رمز_عبور گذرواژه رمز کلمه_عبور کلمه_ی_عبور پسورد رمز_ورود کد_ورود کد_دسترسی",
        "این شد است برابر",
        "برای سرور دفتر الان وای‌فای وایفای حساب به از در ادمین",
        "اشتباه نادرست الزامی منقضی خالی نامشخص گم فراموش بپرس ببین نوشته عوض همان ندارد",
        "کاربر نام_کاربری حساب",
    ),
    "ur": Language("پاس_ورڈ پاسورڈ", "یہ ہے", "کا کی کے لیے سرور", "غلط ضروری ختم", "صارف اکاؤنٹ"),
    "hi": Language(
        "पासवर्ड कूटशब्द पासकोड पिन एक्सेस_कोड",
        "यह है",
        "का की के लिए सर्वर",
        "गलत आवश्यक समाप्त अमान्य अज्ञात गायब भूल पूछें देखें लिखा बदला पहले खाली नहीं",
        "उपयोगकर्ता खाता",
    ),
    "mr": Language("पासवर्ड परवलीचा_शब्द", "आहे हा", "चा साठी", "चुकीचा", "वापरकर्ता"),
    "bn": Language("পাসওয়ার্ড পাসওয়ার্ড", "হলো হল হচ্ছে", "এর জন্য সার্ভার", "ভুল প্রয়োজন", "ব্যবহারকারী"),
    "pa": Language("ਪਾਸਵਰਡ", "ਹੈ", "ਦਾ ਲਈ", "ਗਲਤ", "ਯੂਜ਼ਰ"),
    "gu": Language("પાસવર્ડ", "છે", "માટે નો", "ખોટો", "વપરાશકર્તા"),
    "ta": Language("கடவுச்சொல் கடவுச்சொல்", "என்பது", "க்கான", "தவறான", "பயனர்"),
    "te": Language("పాస్‌వర్డ్ పాస్వర్డ్", "అనేది", "కోసం", "తప్పు", "వినియోగదారు"),
    "kn": Language("ಪಾಸ್‌ವರ್ಡ್ ಗುಪ್ತಪದ", "ಆಗಿದೆ", "ಗಾಗಿ", "ತಪ್ಪು", "ಬಳಕೆದಾರ"),
    "ml": Language("പാസ്‌വേഡ് പാസ്സ്‌വേഡ്", "ആണ്", "ന്റെ", "തെറ്റായ", "ഉപയോക്താവ്"),
    "th": Language(
        "รหัสผ่าน พาสเวิร์ด รหัสลับ รหัสเข้า รหัสไวไฟ รหัสวายฟาย รหัสเน็ต รหัสเซิร์ฟเวอร์ รหัสเราเตอร์ รหัส_wifi รหัสwifi "
        "รหัสอีเมล รหัสเมล รหัสเฟซบุ๊ก รหัสเฟส รหัสไลน์ รหัสคอม รหัสโน้ตบุ๊ก รหัสแล็ปท็อป รหัสมือถือ รหัสแท็บเล็ต รหัสล็อกอิน รหัสปลดล็อก รหัสไอจี รหัสแอป",
        "คือ เป็น",
        "ของ สำหรับ เข้า ใหม่ เก่า ไวไฟ เซิร์ฟเวอร์",
        "ผิด จำเป็น หมดอายุ ไม่ถูกต้อง เหมือนเดิม ถาม อย่างน้อย ลืมแล้ว ลืม ไม่ทราบ ยังไม่ได้ตั้ง ยังไม่มี "
        "ส่งทางไปรษณีย์ เก็บไว้ เขียนบน หาย เปลี่ยนแล้ว",
        "ผู้ใช้ บัญชี ชื่อผู้ใช้",
    ),
    "km": Language("ពាក្យសម្ងាត់ លេខសម្ងាត់", "គឺ", "របស់ សម្រាប់", "ខុស", "អ្នកប្រើ"),
    "lo": Language("ລະຫັດຜ່ານ", "ແມ່ນ ຄື", "ຂອງ ສຳລັບ", "ຜິດ", "ຜູ້ໃຊ້"),
    "my": Language("စကားဝှက်", "က သည်", "၏ အတွက်", "မှား", "အသုံးပြုသူ"),
    "zh": Language(
        "密码 密碼 口令 登录码 登入碼 通行碼 门禁码 門禁碼 开机密码 提取码 提取碼 取件码 取件碼 取货码 取貨碼 解锁码 解鎖碼",
        "是 为 為 叫 改成 改为 改為 设为 設為 设置为 設定為 就是 更改为 重置为 重設為 变成 現在是 现在是 換成 换成",
        "的 用于 用於",
        "必填 错误 錯誤 过期 過期 忘记 忘記 不能 无效 無效 见 看 至少 在 问 忘了 一样 不变 未知 待定 未设置 没有 缺失 邮寄 写在 放在 需要 重置 多少 什么 什麼 留空 为空 為空 输入 輸入",
        "账号 帐号 帳號 用户名 用戶名 用户 使用者 账户 帳戶",
    ),
    "ja": Language(
        "パスワード パスフレーズ 暗証番号 金庫の番号 金庫番号 合言葉 パスコード 暗号キー",
        "は が を も",
        "の",
        "必須 期限切れ 無効 不明 未設定 なし 忘れた 参照 変更 更新 同じ 記載 保管 空欄 入力",
        "ユーザー ユーザ ユーザー名 アカウント ID ログイン",
    ),
    "ko": Language(
        "비밀번호 비번 패스워드 암호 암호문 비밀_번호 현관문_번호",
        "는 은 가 이 를 을 로",
        "의",
        "필수 만료 오류 없음 모름 잊어버림 물어보기 미설정 동일 참고 보관 재설정함 변경됨 비워두기 비움 입력",
        "아이디 계정 사용자 유저",
    ),
    "mn": Language("нууц_үг*", "бол", "ийн", "буруу", "хэрэглэгч"),
    "ne": Language("पासवर्ड", "हो", "को", "गलत", "प्रयोगकर्ता"),
    "si": Language("මුරපදය", "යනු", "සඳහා", "වැරදි", "පරිශීලක"),
    "am": Language("የይለፍ_ቃል", "ነው", "ለ", "ስህተት", "ተጠቃሚ"),
    "be": Language("пароль* пароля", "гэта", "ад для да", "няправільны", "карыстальнік"),
    "gl": Language("contrasinal*", "é era será", "do da para de", "incorrecto obrigatorio caducou", "usuario conta"),
    "lb": Language("*passwuert*", "ass war ass_elo", "fir vum vun", "falsch ofgelaf", "benotzer konto"),
    "fy": Language("*wachtwurd*", "is wie", "fan foar op", "ferkeard", "brûker"),
    "fo": Language("*loyniorð*", "er var", "til hjá", "skeivt", "brúkari"),
    "gd": Language("facal-faire facal-faire", "is tha", "airson", "ceàrr", "cleachdaiche"),
    "br": Language("ger-tremen", "eo zo", "evit", "fall", "implijer"),
    "oc": Language("senhal*", "es èra", "del de per", "incorrècte", "utilizaire"),
    "ht": Language("modpas", "se te", "pou nan", "move", "itilizatè kont"),
    "ku": Language("şîfre* peyvborî", "e bû", "ji bo", "xelet", "bikarhêner"),
    "tk": Language("açar_söz* parol*", "indi", "üçin", "ýalňyş", "ulanyjy"),
    "mg": Language("tenimiafina", "dia", "ho ny", "diso", "mpampiasa"),
    "zu": Language("iphasiwedi", "ngu", "ye ya", "alungile", "umsebenzisi"),
    "ha": Language("kalmar_sirri", "ita_ce shi_ne", "na ta don", "kuskure", "mai_amfani"),
    "yo": Language("ọ̀rọ̀_aṣínà ọrọ_igbaniwọle", "ni jẹ́", "fún ti", "àṣìṣe", "olùmúlò"),
    "ig": Language("okwuntughe", "bụ", "maka nke", "ezighị", "onye_ọrụ"),
    "rw": Language("ijambobanga", "ni", "rya ya", "ribi", "ukoresha"),
    "ky": Language("сырсөз*", "азыр", "үчүн", "туура_эмес", "колдонуучу"),
    "tg": Language("рамз* калимаи_рамзӣ", "аст", "барои", "нодуруст", "корбар"),
    "ps": Language("پټنوم پاسورډ", "دی ده", "د لپاره", "ناسم", "کارن"),
    "ckb": Language("وشەی_نهێنی تێپەڕەوشە", "ە", "بۆ", "هەڵە", "بەکارهێنەر"),
    "or": Language("ପାସୱାର୍ଡ", "ହେଉଛି", "ପାଇଁ", "ଭୁଲ", "ଉପଯୋଗକର୍ତ୍ତା"),
    "yi": Language("פּאַראָל פאראל", "איז", "פֿאַר פון", "פֿאַלש", "באַניצער"),
}

LANGUAGES = {code: Language(*map(marks_as_letters, row)) for code, row in _ROWS.items()}
